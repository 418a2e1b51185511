/** The address of the service that commands call by default. */
const DEFAULT = /^http:\/\/(localhost|127\.0\.0\.1):3000\/?$/

/**
 * How to run the program in a project that has it installed. In any other folder, without `--no`, npx would install
 * another package of that name from the registry. Without `--`, npx would take `--help` for itself. Once this package
 * is published, this and the guides change to `npx placard`.
 */
export const PROGRAM = 'npx --no -- placard'

/** A command for people to copy, with the option that makes it call the service at this address. */
export function shellCommand(command: string, url: string): string {
  return `${PROGRAM} ${command}${urlOption(url)}`
}

/** The option that makes a command call this address, with a leading space; empty if that is the default. */
export function urlOption(url: string): string {
  if (DEFAULT.test(url)) return ''
  // Some shells treat brackets as a pattern, as in `http://[::1]`.
  return /^[\w:/.-]+$/.test(url) ? ` --url ${url}` : ` --url "${url}"`
}

/** The path of a file, quoted for POSIX shells if necessary. */
export const quotedPath = (path: string): string =>
  /^[\w/.-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
