import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { runCommand } from '../src/cli/command.ts'
import { afterFile } from './after-file.ts'
import { soon } from './soon.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

let isBuilt = false

/** Builds the command line if the sources are newer; does nothing otherwise. */
export function build(): void {
  isBuilt = true
  execFileSync(process.execPath, ['scripts/setup.mjs'], { cwd: ROOT, stdio: 'pipe' })
}

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface StartOptions {
  /** The command that runs the program. Default: this Node. */
  runner?: string[] | undefined
  /** Whether it gets its own process group, as in a terminal. */
  detached?: boolean
}

/** Runs `placard` with these arguments, in the given folder and environment. */
export function start(
  directory: string,
  environment: Record<string, string>,
  args: string[],
  { runner = [process.execPath], detached = false }: StartOptions = {},
) {
  if (!isBuilt) build()
  const { PATH = '' } = process.env
  const [command = '', ...words] = runner
  const child: ChildProcess = spawn(command, [...words, `${ROOT}bin/placard.mjs`, ...args], {
    cwd: directory,
    env: { PATH, ...environment },
    detached,
  })
  // A failed test may have left it running.
  afterFile(() => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(detached ? -child.pid : child.pid, 'SIGKILL')
    }
  })
  const output: Finished = { code: null, stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk
  })
  const finished = once(child, 'close').then(([code]) => Object.assign(output, { code }))
  return { child, output, finished: finished as Promise<Finished> }
}

/** A Node that treats its output as a terminal. */
export const AT_TERMINAL = [
  process.execPath,
  '--import',
  'data:text/javascript,process.stdout.isTTY=true',
]

/** Runs a line as if a person had pasted it into a shell. `placard` is the one of this checkout. */
export function pasted(
  directory: string,
  line: string,
  environment: Record<string, string> = {},
): Promise<Finished> {
  // The argument after the script is the shell's `$0`.
  const script = `placard() { '${process.execPath}' "$0" "$@"; }\n${line.replace('npx --no -- ', '')}`
  return start(directory, environment, [], { runner: ['sh', '-c', script] }).finished
}

/** Starts `placard serve`, and waits until it listens. */
export async function serving(
  directory: string,
  environment: Record<string, string>,
  options?: StartOptions,
) {
  const service = start(directory, environment, ['serve'], options)
  const url = await soon(() => {
    const { stdout, stderr } = service.output
    const [, logged, said] = /"url":"([^"]+)"|is up at (\S+)/.exec(stdout) ?? []
    const found = logged ?? said
    if (!found) throw new Error(`not listening yet: ${stdout}${stderr}`)
    return found
  })
  return { ...service, url }
}

let turn: Promise<unknown> = Promise.resolve()

/**
 * Runs a command in this process, which takes a tenth of the time of a separate process. The command gets a folder and an
 * environment of its own, and its output is kept. Commands take turns, because a process has only one of each.
 */
function inThisProcess(
  directory: string,
  environment: Record<string, string>,
  args: string[],
): Promise<Finished> {
  const finished = turn.then(async () => {
    const { argv, env, exitCode, stdout, stderr } = process
    const [before, cwd] = [{ ...env }, process.cwd()]
    const outputs = [stdout, stderr].map((output) => ({ output, write: output.write, text: '' }))
    for (const one of outputs) {
      one.output.write = (text: unknown, ...[done]: unknown[]) => {
        one.text += text
        if (typeof done === 'function') done()
        return true
      }
    }
    const become = (variables: Record<string, string | undefined>) => {
      for (const name of Object.keys(env)) delete env[name]
      Object.assign(env, variables)
    }
    try {
      process.argv = [...argv.slice(0, 2), ...args]
      process.chdir(directory)
      become({ PATH: env.PATH, ...environment })
      process.exitCode = undefined
      const code = (await runCommand(args)) || Number(process.exitCode ?? 0)
      const [said = '', warned = ''] = outputs.map(({ text }) => text)
      return { code, stdout: said, stderr: warned }
    } finally {
      for (const { output, write } of outputs) output.write = write
      become(before)
      process.chdir(cwd)
      Object.assign(process, { argv, exitCode })
    }
  })
  turn = finished.catch(() => {})
  return finished
}

/**
 * Commands beside a running service, which find its address and secrets themselves. They run in this process.
 *
 * @param printed gets everything that they print
 */
export function commandLine(
  directory: string,
  environment: Record<string, string>,
  printed: string[] = [],
) {
  async function placard(...args: string[]): Promise<Finished> {
    const result = await inThisProcess(directory, environment, args)
    printed.push(result.stdout, result.stderr)
    return result
  }
  const done = async (...args: string[]) => {
    const result = await placard(...args)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    return result.stdout
  }
  const json = async (...args: string[]) => JSON.parse(await done(...args, '--json'))
  /** One line on stderr, nothing on stdout. */
  const refused = async (code: number, ...args: string[]) => {
    const result = await placard(...args)
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toMatch(/^placard: [^\n]+\n$/)
    return result.stderr
  }
  return { placard, done, json, refused }
}
