import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CREATE = 'create-next-app@16.4.3'
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']

const NEXT = 'node_modules/next/dist/bin/next'
export const DEVELOPMENT = [NEXT, 'dev']

export interface FreshApp {
  directory: string
  /** Runs `next start`, or Node with the given arguments, and waits until it answers. */
  start(environment: Record<string, string>, command?: string[]): Promise<Started>
  remove(): void
}

export interface Started {
  url: string
  /** Everything that it has written to its outputs. */
  logged(): string
  /** Asks it to end. Resolves with its exit code, or with the name of the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/**
 * An app as `create-next-app` makes it, with this package installed from its archive and the guide's own blocks put in:
 * nothing that anybody here wrote. Only the fonts are taken out, as they would be downloaded.
 *
 * @param extra further files, by their paths
 */
export function freshApp(extra: Record<string, string> = {}): FreshApp {
  const home = mkdtempSync(join(tmpdir(), 'placard-next-'))
  const directory = join(home, 'app')
  const running = new Set<ChildProcess>()
  const run = (cwd: string, command: string, args: string[]) =>
    execFileSync(command, args, { cwd, env: environmentOf(), encoding: 'utf8', stdio: 'pipe' })

  const choices = ['--yes', '--tailwind', '--no-eslint', '--skip-install', '--disable-git']
  run(home, 'npx', ['--yes', CREATE, 'app', ...choices])
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', home]
  const [packed] = JSON.parse(run(root, 'npm', packing))
  run(directory, 'npm', ['install', ...QUIET, join(home, packed.filename)])
  followGuide(directory)
  for (const [path, text] of Object.entries(extra)) put(directory, path, text)
  run(directory, process.execPath, [NEXT, 'build'])

  return {
    directory,
    async start(environment, command = [NEXT, 'start']) {
      const port = await freePort()
      const url = `http://localhost:${port}`
      const env = environmentOf({ PORT: String(port), ...environment })
      const served = spawn(process.execPath, command, { cwd: directory, env, stdio: 'pipe' })
      running.add(served)
      const ended = once(served, 'exit').finally(() => running.delete(served))
      let written = ''
      for (const output of [served.stdout, served.stderr]) {
        output.on('data', (text) => {
          written += text
        })
      }
      while (!(await fetch(url).catch(() => undefined))) {
        if (served.exitCode !== null) throw new Error(`It does not start:\n${written}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return {
        url,
        logged: () => written,
        async stop(signal = 'SIGTERM') {
          served.kill(signal)
          const [code, by] = await ended
          return code ?? by
        },
      }
    },
    remove() {
      for (const served of running) served.kill('SIGKILL')
      rmSync(home, { recursive: true })
    },
  }
}

/** The environment of this run, without what is meant for Placard or says that this is a test. */
function environmentOf(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const ours = /^(EVENT_API_SECRET|STRIPE_.*|DATABASE_URL|TRUST_PROXY|PORT|NODE_ENV|VITEST.*)$/
  const given = Object.entries(process.env).filter(([name]) => !ours.test(name))
  return {
    ...Object.fromEntries(given),
    NEXT_TELEMETRY_DISABLED: '1',
    ...more,
  } as NodeJS.ProcessEnv
}

function put(directory: string, path: string, text: string): void {
  const file = join(directory, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Puts in what docs/next.md says, by its own blocks. */
function followGuide(directory: string): void {
  const guide = readFileSync(join(root, 'docs/next.md'), 'utf8')
  /** The first block after these words. */
  const block = (words: string) => {
    const found = guide.split(words)[1]?.match(/```\w+\n([\s\S]*?)```/)?.[1]
    if (!found) throw new Error(`The guide has no block after ${words}`)
    return found
  }
  for (const path of [
    'placard.ts',
    'app/api/[[...placard]]/route.ts',
    'instrumentation.ts',
    'app/bar.tsx',
  ]) {
    put(directory, path, block(`\`${path}\``))
  }
  const layout = join(directory, 'app/layout.tsx')
  const written = readFileSync(layout, 'utf8')
    .replace(/import \{ Geist.*\n/, '')
    .replaceAll(/const geist\w+ = [\s\S]*?\}\);\n/g, '')
    .replaceAll(/\$\{geist\w+\.variable\} ?/g, '')
    .replace(/<body[^>]*>/, (body) => body + block('at the start of `<body>`'))
  writeFileSync(layout, block('In `app/layout.tsx`') + written)
}
