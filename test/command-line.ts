import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Builds the command line if the sources are newer; does nothing otherwise. */
export function build(): void {
  execFileSync(process.execPath, ['scripts/setup.mjs'], { cwd: ROOT, stdio: 'pipe' })
}

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface StartOptions {
  /** Which Node runs it. Default: this one. */
  node?: string | undefined
  /** In a process group of its own, as a terminal would have it. */
  detached?: boolean
}

/** `placard` with these words, in a folder and an environment of its own. */
export function start(
  directory: string,
  environment: Record<string, string>,
  args: string[],
  { node = process.execPath, detached = false }: StartOptions = {},
) {
  const { PATH = '' } = process.env
  const child: ChildProcess = spawn(node, [`${ROOT}bin/placard.mjs`, ...args], {
    cwd: directory,
    env: { PATH, ...environment },
    detached,
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

/** `placard serve` that has begun to listen. */
export async function serving(
  directory: string,
  environment: Record<string, string>,
  options?: StartOptions,
) {
  const service = start(directory, environment, ['serve'], options)
  const url = await vi.waitFor(
    () => {
      const { stdout, stderr } = service.output
      const found = /"url":"([^"]+)"/.exec(stdout)?.[1]
      if (!found) throw new Error(`not listening yet: ${stdout}${stderr}`)
      return found
    },
    { timeout: 15_000, interval: 20 },
  )
  return { ...service, url }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
