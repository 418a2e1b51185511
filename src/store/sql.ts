/** The value of a statement's parameter. */
export type Value = string | number | null

/** Runs statements, inside or outside a transaction. Modules for both databases use only SQL that both accept. */
export interface Db {
  /** @param pieces the text before, between and after the values. @returns the rows, or `[]` if there are none */
  query(pieces: readonly string[], values: readonly Value[]): Promise<unknown[]>
  /** The current time by the database's clock, if nodes on several machines can share the database. */
  readonly time?: Sql<number> | undefined
}

/**
 * Converts an instant from the caller's clock to the clock that all nodes share.
 *
 * @param now the time by the caller's clock, in ms since 1970
 * @param at the instant by the caller's clock
 */
export function instant(db: Db, now: number, at: number = now): Sql<number> {
  return db.time ? sql<number>`(${db.time} - ${now - at})` : sql<number>`${at}`
}

/** Runs single statements, or several in one transaction, which is rolled back if the work fails. */
export interface Connections extends Db {
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>
}

/** Runs the reads and the writes of a store. */
export interface Runners {
  /** Runs statements that only read. May run them again after a failure. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Runs a single statement that writes. Other nodes aren't notified, so it mustn't change anything that pages show. On
   * Postgres, it waits only for writers of the same row, and a crash of a server with `synchronous_commit = off` may
   * lose it.
   */
  update<T>(work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Runs work in a transaction that excludes other writers, and resolves once the commit is on the disk. If the
   * database doesn't answer the commit, `transaction` rejects, although the work may have been committed. Clients can
   * safely repeat every write, except that a sign-in link can't be redeemed twice.
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>
}

/** An SQL statement, or a part of one, with its values. */
export interface Sql<Row = unknown> {
  readonly pieces: readonly string[]
  readonly values: readonly Value[]
  /** @returns the rows, or `[]` if there are none */
  execute(db: Db): Promise<Row[]>
}

/**
 * Builds a statement from a template. An interpolated value becomes a parameter, and only another `Sql` becomes part of
 * the text. There is no query builder, because building and compiling a query took longer than running it.
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
    execute: async (db) => (await db.query(pieces, values)) as Row[],
  }
}
