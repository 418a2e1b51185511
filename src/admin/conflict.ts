import type { Client, WireHistoryEntry } from '../client/client.ts'
import type { Board } from '../core/board.ts'
import { isBlank } from '../core/rules.ts'
import type { Fields } from './form.ts'

/** What became of what a draft is about, since its author saw it (contract A17). */
export interface Conflict {
  /**
   * `gone`: what they edit is neither up nor scheduled any more. `changed`: it has been edited, or has started. `other`: it
   * would replace what they have not seen.
   */
  kind: 'gone' | 'changed' | 'other'
  /** Who did that, when and how; `undefined` if the history doesn't say (contract R8). */
  entry: WireHistoryEntry | undefined
  /** What a form holds whose author was told of this. */
  told: string
  isTold: boolean
}

/** More than others do while somebody writes. */
const ENTRIES = 50

/** The id of the newest entry of the history, or `0`. */
export async function newestIn(api: Client): Promise<string> {
  const { entries } = await api.history({ limit: 1 })
  return entries[0]?.id ?? '0'
}

/**
 * Looks whether somebody has changed what a draft is about. What is only put up beside it is none of that.
 *
 * @param waits whether it starts later, so that it replaces nothing of now
 * @returns the newest change, or `null`; and what the author has seen, which is all if they have written nothing
 */
export async function conflictIn(
  api: Client,
  board: Board,
  fields: Pick<Fields, 'id' | 'type' | 'text' | 'seen' | 'told' | 'fromWas' | 'refused'>,
  waits: boolean,
): Promise<{ conflict: Conflict | null; seen: string }> {
  const { id, type, text, seen, told } = fields
  const newest = await newestIn(api)
  if (id === '' && isBlank(text) && !fields.refused) return { conflict: null, seen: newest }
  const up = board.events.find((one) => (id === '' ? one.type === type : one.id === id))
  const isGone = id !== '' && !up && !board.scheduled.some((one) => one.id === id)
  // What starts is stored a moment later, so the history may not tell of it yet.
  const hasStarted = id !== '' && up !== undefined && fields.fromWas !== ''
  const isSame = seen === '' || seen === newest || (id === '' && (!up || waits))
  if (isSame && !isGone && !hasStarted) return { conflict: null, seen }

  const { entries } = await api.history({ limit: ENTRIES })
  const unseen = entries.filter((entry) => numberOf(entry.id) > numberOf(seen))
  const about = id === '' ? up?.id : id
  const entry = isGone
    ? entries.find(({ before, after }) => before?.id === id && after?.id !== id)
    : unseen.find(({ after }) => after?.id === about)
  if (!entry && !isGone && !hasStarted) return { conflict: null, seen }
  const kind = isGone ? 'gone' : id === '' ? 'other' : 'changed'
  const isTold = told !== '' && numberOf(entry?.id ?? '0') <= numberOf(told)
  return { conflict: { kind, entry, told: entry?.id ?? newest, isTold }, seen }
}

/** What was never an id is before all of them. */
const numberOf = (id: string) => (/^\d{1,15}$/.test(id) ? Number(id) : 0)
