/**
 * `npm run proofs`: the slow tests that each prove one thing, then all suites that need no browser, on the oldest
 * supported Node. With file names, as in `npm run proofs test/histories`, it runs only the proofs in those files.
 * `npm run proofs slow-machine` runs only `npm test` on a slow and busy machine, which takes a quarter of an hour.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = process.argv.slice(2)
const [first, ...rest] = names
if (first === 'slow-machine') run('node', ['scripts/slow-machine.mjs', ...rest])
else if (first === 'node-24') onNode24(rest)
else {
  run('vitest', ['run', '--config', 'vitest.proofs.config.ts', ...names])
  if (first === undefined) onNode24([])
}

function onNode24(files) {
  const folder = join(import.meta.dirname, '../test/node-24')
  const bin = join(folder, 'node_modules/node/bin')
  if (!existsSync(join(bin, 'node')))
    run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'])
  // First on the PATH, so that the processes that tests start run on this Node too.
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  run('node', [vitest, 'run', '--config', 'vitest.node-24.config.ts', ...files], env)
}

/** Runs a command, and exits if it fails. */
function run(command, args, env = process.env) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}
