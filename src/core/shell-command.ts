/** The service that commands ask by default. */
const DEFAULT = /^http:\/\/(localhost|127\.0\.0\.1):3000\/?$/

/**
 * How to run the program in a project that has it installed. Without `--no`, npx elsewhere would install another
 * package of that name from the registry. Without `--`, npx would take `--help` for itself. Once this package is
 * published, both this and the guides become `npx placard`.
 */
export const PROGRAM = 'npx --no -- placard'

/** A command as a person copies it. Wherever it is pasted, it reaches the service at this address. */
export function shellCommand(command: string, url: string): string {
  return `${PROGRAM} ${command}${urlOption(url)}`
}

/** The option that makes a command reach this address, with a leading space; or an empty string. */
export function urlOption(url: string): string {
  if (DEFAULT.test(url)) return ''
  // Some shells treat brackets as a pattern, as in `http://[::1]`.
  return /^[\w:/.-]+$/.test(url) ? ` --url ${url}` : ` --url "${url}"`
}

/** The path of a file as POSIX shells take it. */
export const quotedPath = (path: string): string =>
  /^[\w/.-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
