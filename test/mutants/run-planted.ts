import { execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyOfProject, type Planted, plant } from '../planted.ts'

/** A mutant whose tests take longer counts as detected: it has made one of them wait for ever. */
const PATIENCE_MS = 300_000
/** For all tests of the mutants, one after the other, without a mutant. They must pass, however long they take. */
const PATIENCE_WITHOUT_MS = 3_600_000

const running = new Set<number>()
const copies: string[] = []
process.once('exit', () => {
  for (const group of running) process.kill(-group, 'SIGKILL')
  for (const copy of copies) rmSync(copy, { recursive: true })
})
process.once('SIGINT', () => process.exit(130))

function makeCopy(): string {
  const copy = copyOfProject()
  copies.push(copy)
  // A test that builds would remove files that other tests are loading.
  execFileSync('node', ['scripts/setup.mjs'], { cwd: copy, stdio: 'ignore' })
  return copy
}

/** Whether the tests pass in a copy of the project, in that time. */
async function pass(copy: string, tests: readonly string[], patienceMs: number): Promise<boolean> {
  const isProof = (test: string) => existsSync(join(copy, `test/${test}.proof.ts`))
  const proofs = tests.filter(isProof)
  const others = tests.filter((test) => !isProof(test))
  const onPostgres = others.some((test) => test.startsWith('postgres/'))
  const config = onPostgres ? 'vitest.config.ts' : 'test/mutants/vitest.config.ts'
  return (
    (await run(copy, config, others, 'test', patienceMs)) &&
    (await run(copy, 'vitest.proofs.config.ts', proofs, 'proof', patienceMs))
  )
}

async function run(
  copy: string,
  config: string,
  tests: readonly string[],
  kind: 'test' | 'proof',
  patienceMs: number,
): Promise<boolean> {
  if (tests.length === 0) return true
  const files = tests.map((test) => `test/${test}.${kind}.ts`)
  // In a process group of its own, because the process that loops for ever is a child of the child.
  const child = spawn('vitest', ['run', '--bail=1', '--config', config, ...files], {
    cwd: copy,
    env: { ...process.env, SUITES: tests.join(' ') },
    stdio: 'ignore',
    detached: true,
  })
  const group = Number(child.pid)
  running.add(group)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => process.kill(-group, 'SIGKILL'), patienceMs)
    child.on('error', reject).on('exit', (code) => {
      clearTimeout(timer)
      running.delete(group)
      resolve(code === 0)
    })
  })
}

/** Whether all their tests pass while none of them is planted. */
export function passWithout(mutants: readonly Planted[]): Promise<boolean> {
  const tests = new Set(mutants.flatMap((mutant) => mutant.by))
  return pass(makeCopy(), [...tests], PATIENCE_WITHOUT_MS)
}

/** Tries the mutants one after the other. @returns a line for each that no test detected */
export async function tryAll(queue: Planted[]): Promise<string[]> {
  const copy = makeCopy()
  const survived: string[] = []
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const takeOut = plant(copy, mutant)
    const survives = await pass(copy, mutant.by, PATIENCE_MS)
    takeOut()
    const line = `${mutant.file}: ${mutant.what}`
    console.log(`${survives ? 'SURVIVED' : 'killed'} ${line}`)
    if (survives) survived.push(line)
  }
  return survived
}
