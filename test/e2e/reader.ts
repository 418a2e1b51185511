import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterTest } from '../after-file.ts'
import { ROOT, serving } from '../command-line.ts'
import { temporaryDirectory } from '../stores.ts'

/** What a guide's reader has on the PATH besides the usual: the package, and stand-ins for `npx` and `sudo`. */
const PROGRAMS = {
  placard: `exec '${process.execPath}' '${ROOT}bin/placard.mjs' "$@"`,
  npx: '[ "$1" = --no ] && [ "$2" = -- ] && shift 2 && exec "$@"',
  sudo: 'exec "$@"',
}

/**
 * A reader who follows a guide in a shell, in a folder.
 *
 * @param programs more programs, as scripts, by their names
 */
export function reader(programs: Record<string, string> = {}, directory = temporaryDirectory()) {
  const folder = join(temporaryDirectory(), 'bin')
  mkdirSync(folder)
  for (const [name, script] of Object.entries({ ...PROGRAMS, ...programs })) {
    const file = join(folder, name)
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
  }
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: directory }
  /** Runs a block, whose commands must all succeed. Resolves with their output. */
  const run = (block: string, more: Record<string, string> = {}) =>
    new Promise<string>((resolve, reject) => {
      const options = { cwd: directory, env: { ...env, ...more } }
      execFile('sh', ['-e', '-c', block], options, (error, stdout, stderr) => {
        if (error) reject(new Error(`${block}\nends with ${error.code}:\n${stdout}${stderr}`))
        else resolve(stdout)
      })
    })
  return { directory, env, run }
}

/**
 * The same for one test, beside a service that generated its own secrets. The addresses in the guides are replaced with
 * this service's.
 */
export async function readerBeside() {
  const { directory, env, run } = reader()
  const { url, child } = await serving(directory, { PORT: '0' })
  afterTest(() => child.kill())
  const { port } = new URL(url)
  const here = (text: string) =>
    text.replaceAll(
      /http:\/\/localhost:\d+|https:\/\/notices\.example/g,
      `http://localhost:${port}`,
    )
  const shown = async () => (await (await fetch(`${url}/api/events`)).json()).event?.text
  return {
    directory,
    env: { ...env, PORT: port },
    url: `http://localhost:${port}`,
    here,
    run: (block: string) => run(here(block), { PORT: port }),
    /** The text that is live. */
    shown,
  }
}
