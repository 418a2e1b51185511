import { parseAccept } from 'hono/utils/accept'

/** No browser sends more. It can only be meant to cost time, so the rest is cut. */
export const MAX_ACCEPT_LANGUAGE = 1_000
const MAX_RANGES = 20

/** The languages that a reader prefers, the best first, without those that they refuse (`q=0`). */
export function preferredIn(acceptLanguage: string | null | undefined): string[] {
  return parseAccept((acceptLanguage ?? '').slice(0, MAX_ACCEPT_LANGUAGE))
    .filter(({ q }) => q > 0)
    .slice(0, MAX_RANGES)
    .map(({ type }) => type)
}
