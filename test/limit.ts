/**
 * How long a test waits for something before it fails, in milliseconds. A wait ends when its cause has happened, so the
 * limit only says that it never will: it is far longer than a slow and busy machine needs.
 */
export const LIMIT_MS = 60_000
