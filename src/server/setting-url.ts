import { fileURLToPath } from 'node:url'

/** Whether a URL consists of a host only, because pages and sessions are at the root of their host. */
export function isOrigin(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false
  const { href, origin } = new URL(url)
  return href === `${origin}/`
}

/**
 * The path in `file:data/x.db`, relative to the working directory, or in a URL like `file:///var/x.db`; `undefined` for
 * a URL that names no file on this machine.
 */
export function pathOf(url: string): string | undefined {
  if (!url.startsWith('file://')) return url.slice('file:'.length) || undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}
