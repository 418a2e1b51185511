/** What a statement may be given. */
export type Value = string | number | null

/** Runs statements, in a transaction or outside of one. The statements of this room are the same for both databases. */
export interface Db {
  /** @param pieces what stands before, between and after the values. @returns the rows, if the statement has any */
  query(pieces: readonly string[], values: readonly Value[]): Promise<unknown[]>
  /** Now by the database's clock, where nodes on several machines share it. */
  readonly time?: Sql<number> | undefined
}

/**
 * An instant by the clock that all nodes share.
 *
 * @param now the time by the caller's clock, in ms since 1970
 * @param at the instant by the caller's clock
 */
export function instant(db: Db, now: number, at: number = now): Sql<number> {
  return db.time ? sql<number>`(${db.time} - ${now - at})` : sql<number>`${at}`
}

/** A database: each statement by itself, or several in a transaction that is undone if the work fails. */
export interface Connections extends Db {
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>
}

/** A statement, or a part of one, with its values. */
export interface Sql<Row = unknown> {
  readonly pieces: readonly string[]
  readonly values: readonly Value[]
  execute(db: Db): Promise<{ rows: Row[] }>
}

/**
 * Makes a statement out of text. What is put into it is a value, never text; only another of these becomes part of it.
 * There is no builder of queries, because it took longer to build and compile them for each write than to run them.
 */
export function sql<Row = unknown>(
  text: readonly string[],
  ...parts: readonly (Value | Sql)[]
): Sql<Row> {
  const pieces = [text[0] ?? '']
  const values: Value[] = []
  const append = (piece = '') => pieces.push(pieces.pop() + piece)
  for (const [i, part] of parts.entries()) {
    if (typeof part === 'object' && part !== null) {
      const [first, ...rest] = part.pieces
      append(first)
      pieces.push(...rest)
      values.push(...part.values)
      append(text[i + 1])
    } else {
      values.push(part)
      pieces.push(text[i + 1] ?? '')
    }
  }
  return {
    pieces,
    values,
    execute: async (db) => ({ rows: (await db.query(pieces, values)) as Row[] }),
  }
}
