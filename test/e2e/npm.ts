import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../command-line.ts'
import { environmentOf } from './serve.ts'

/** Options for `npm install`. */
export const QUICK = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']

/** The compiler options of a strict project for browsers. */
export const STRICT = {
  ...{ strict: true, noEmit: true, types: [] },
  ...{ target: 'es2024', module: 'esnext', moduleResolution: 'bundler' },
  lib: ['es2024', 'dom', 'dom.iterable'],
}

/** Runs a program. Resolves with its output. @throws with its output, if it fails */
export async function run(
  cwd: string,
  command: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<string> {
  const options = { cwd, env: environmentOf(more), maxBuffer: 2 ** 26 }
  try {
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${[command, ...args].join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

/** A program's complaints, such as a compiler's. There are none if it succeeds. */
export const complaints = (cwd: string, command: string, args: string[]): Promise<string> =>
  run(cwd, command, args).then(
    () => '',
    ({ message }) => message,
  )

/** Packs this package into a folder, as npm would publish it. Resolves with the archive. */
export async function pack(folder: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(await run(ROOT, 'npm', args))
  return join(folder, filename)
}
