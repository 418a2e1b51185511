import { parseAccept } from 'hono/utils/accept'

/** How many characters of an `Accept-…` header are parsed. Only an attacker sends more, to waste CPU time. */
export const MAX_ACCEPT = 1_000
const MAX_RANGES = 20

/** The last `Accept-Encoding` that was parsed. Nearly all browsers send the same value. */
let latest = { header: '', accepts: false }

export function acceptsGzip(header: string | null): boolean {
  if (header === null) return false
  if (header !== latest.header) {
    const accepted = parseAccept(header.slice(0, MAX_ACCEPT))
    const coding = (name: string) => accepted.find(({ type }) => type.toLowerCase() === name)
    latest = { header, accepts: ((coding('gzip') ?? coding('*'))?.q ?? 0) > 0 }
  }
  return latest.accepts
}

/** Returns a reader's languages, most preferred first, without those that `q=0` excludes. */
export function preferredLanguages(acceptLanguage: string | null | undefined): string[] {
  return parseAccept((acceptLanguage ?? '').slice(0, MAX_ACCEPT))
    .filter(({ q }) => q > 0)
    .slice(0, MAX_RANGES)
    .map(({ type }) => type)
}
