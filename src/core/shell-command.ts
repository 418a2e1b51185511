/** The address of the service that commands call by default. */
const DEFAULT = /^http:\/\/(localhost|127\.0\.0\.1):3000\/?$/

/** Whether a URL's host is a loopback name or address, which other machines can't reach. */
export const isLoopback = (url: string): boolean =>
  /(^|\.)localhost$|^127(\.\d+){3}$|^\[::1\]$/.test(URL.parse(url)?.hostname ?? '')

/**
 * The command that runs the program in a project that has it installed. In any other folder, npx without `--no` would
 * install another package named `placard` from the registry. Without `--`, npx would treat `--help` as its own option.
 * Once this package is published, this constant and the guides change to `npx placard`.
 */
export const PROGRAM = 'npx --no -- placard'

/** A command for people to copy, with the option that makes it call the service at this address. */
export function shellCommand(command: string, url: string): string {
  return `${PROGRAM} ${command}${urlOption(url)}`
}

/** Returns the option `--url` for an address, with a leading space; for the default address, an empty string. */
export function urlOption(url: string): string {
  if (DEFAULT.test(url)) return ''
  // Some shells treat the brackets in `http://[::1]` as a pattern.
  return /^[\w:/.-]+$/.test(url) ? ` --url ${url}` : ` --url "${url}"`
}

/** A command for people to copy into a terminal that may be in any folder. @param folder the project's folder */
export function commandFrom(folder: string, command: string, url: string): string {
  // POSIX quoting doesn't work in PowerShell or cmd.
  const path = folder.startsWith('/') ? quotedPath(folder) : `"${folder}"`
  return `cd ${path} && ${shellCommand(command, url)}`
}

/** The path of a file, quoted for POSIX shells if necessary. */
export const quotedPath = (path: string): string =>
  /^[\w/.-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
