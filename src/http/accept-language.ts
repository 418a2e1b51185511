import { parseAccept } from 'hono/utils/accept'

/** Longer than any browser's header. A longer one is only meant to cost time, so it is cut. */
export const MAX_ACCEPT_LANGUAGE = 1_000
const MAX_RANGES = 20

/** The languages that a reader prefers, the best first, without refused ones (`q=0`). */
export function preferredIn(acceptLanguage: string | null | undefined): string[] {
  return parseAccept((acceptLanguage ?? '').slice(0, MAX_ACCEPT_LANGUAGE))
    .filter(({ q }) => q > 0)
    .slice(0, MAX_RANGES)
    .map(({ type }) => type)
}
