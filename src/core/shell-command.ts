/** Where commands go that don't say where. */
const DEFAULT = /^http:\/\/(localhost|127\.0\.0\.1):3000\/?$/

/**
 * How the program is run from a project that has it. Without `--no`, npx elsewhere installs another package of that name from the
 * registry. Without `--`, npx takes `--help` for itself. Once the package is published there by its owners, this becomes `npx
 * placard`, and so do the guides.
 */
export const PROGRAM = 'npx --no -- placard'

/** A command of ours as a person copies it: wherever it is pasted, it reaches the service at this address. */
export function shellCommand(command: string, url: string): string {
  return `${PROGRAM} ${command}${urlOption(url)}`
}

/** The option that a command needs to reach the service at this address, with a space in front; or nothing. */
export function urlOption(url: string): string {
  if (DEFAULT.test(url)) return ''
  // Some shells take brackets, those of `http://[::1]`, for a pattern of file names.
  return /^[\w:/.-]+$/.test(url) ? ` --url ${url}` : ` --url "${url}"`
}

/** The path of a file as POSIX shells take it. */
export const quotedPath = (path: string): string =>
  /^[\w/.-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
