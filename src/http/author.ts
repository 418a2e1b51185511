import type { Author } from '../commands.ts'
import type { Announcement, Scheduled } from '../core/announcement.ts'
import { isScheduled } from '../core/history.ts'
import { badRequest } from '../core/messages.ts'
import type { Showing } from '../showing/showing.ts'
import { tagOf, tagOfScheduled } from '../showing/snapshot.ts'

/** Persian names contain U+200C, and some emoji U+200D. Alone, they are invisible. */
const PRINTABLE =
  /^(?=.*[^\u200c\u200d])(?:[\u200c\u200d]|[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]){1,64}$/u

const VIA = ['cli', 'admin'] as const

/**
 * Who sends a write, and what their page showed, as far as they know (contract R8, A17). Only to be trusted in a
 * request that the guard admitted.
 *
 * @throws Problem `invalid_request` for a name that can't be printed
 */
export function authorOf({ headers }: Request, showing: Pick<Showing, 'pick'>): Author {
  const name = nameIn(headers.get('placard-actor'))
  const via = VIA.find((one) => one === headers.get('placard-via')) ?? 'api'
  const ifMatch = headers.get('if-match')
  return {
    by: { via, ...(name !== undefined && { name }) },
    ...(ifMatch !== null && {
      expects: (board, edited) =>
        isMatch(ifMatch, tagOf(showing.pick(board))) ||
        (edited !== undefined && isMatch(ifMatch, tagOfEither(edited))),
    }),
  }
}

/** @throws Problem `invalid_request` */
function nameIn(header: string | null): string | undefined {
  if (header === null) return undefined
  let name = header
  try {
    // Headers are ASCII, so other letters are percent-encoded.
    name = decodeURIComponent(header)
  } catch {}
  const printed = printable(name)
  if (printed !== undefined) return printed
  throw badRequest('not_an_actor')
}

/** A name as the history shows it, or `undefined` if it isn't printable. */
export function printable(name: string): string | undefined {
  const trimmed = name.trim()
  return PRINTABLE.test(trimmed) ? trimmed : undefined
}

const tagOfEither = (one: Announcement | Scheduled) =>
  isScheduled(one) ? tagOfScheduled(one) : tagOf(one)

/** A proxy may have made the client's tag weak. */
function isMatch(ifMatch: string, etag: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
