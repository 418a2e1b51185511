import { fileURLToPath } from 'node:url'

/** Whether a URL names a host, and nothing behind it: pages and sessions stand at the root of their host. */
export function isOrigin(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false
  const { href, origin } = new URL(url)
  return href === `${origin}/`
}

/**
 * The path in `file:data/x.db`, which is relative to the working directory, or in a URL like `file:///var/x.db`. It is
 * `undefined` for a URL that names no file on this machine.
 */
export function pathOf(url: string): string | undefined {
  if (!url.startsWith('file://')) return url.slice('file:'.length) || undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}
