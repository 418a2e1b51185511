/**
 * How long a test waits for something before it fails, in milliseconds. A wait ends as soon as its condition holds, so the
 * limit only detects that it never will: it is far longer than a slow and busy machine needs.
 */
export const LIMIT_MS = 60_000
