/** `npm test`: runs every check and the tests. A check that passes prints one line with the time that it took. */
import { spawn } from 'node:child_process'

/** These fail most often, and are quick. Each uses all cores, so they run one after the other. */
const FIRST = [
  ['format and lint', 'biome', ['ci', '--colors=off', '--error-on-warnings', '.']],
  ['types', 'tsc', []],
  ['types in browsers', 'tsc', ['--project', 'src/browser']],
  ['types in the admin’s pages', 'tsc', ['--project', 'src/admin/browser']],
]

/** Each check uses one core, and a core is free while the tests start. Failures are printed at the end. */
const BESIDE_THE_TESTS = [
  ['boundaries', 'node', ['scripts/architecture.mjs', '--check']],
  ['unused code', 'knip', []],
  ['package', 'publint', ['--strict']],
]

/** @returns what to print if the check failed */
async function check([name, command, args]) {
  const started = Date.now()
  const { status, output } = await run(command, args, ['ignore', 'pipe', 'pipe'])
  if (status !== 0) return `${name} … failed\n${output}\n`
  // In a terminal, the tests' output would overwrite this line.
  if (tests && process.stdout.isTTY) return undefined
  process.stdout.write(`${name} … ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

function run(command, args, stdio) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => said.push(part))
    child.on('error', ({ message }) => resolve({ status: 1, output: message }))
    child.on('close', (status) => resolve({ status, output: Buffer.concat(said).toString() }))
  })
}

let tests
for (const one of FIRST) {
  const fault = await check(one)
  if (!fault) continue
  process.stdout.write(fault)
  process.exit(1)
}

tests = run('vitest', ['run', ...process.argv.slice(2)], 'inherit')
const faults = []
for (const one of BESIDE_THE_TESTS) faults.push((await check(one)) ?? '')
const { status } = await tests
process.stdout.write(faults.join(''))
process.exit(status || (faults.join('') && 1) || 0)
