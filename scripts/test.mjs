/** `npm test`: every check, one after the other, with one line each unless it fails. The tests come last. */
import { spawnSync } from 'node:child_process'

/** Entry points that are not modules. */
const ASSETS = ['./embed.js', './placard.css']

const checks = [
  ['format and lint', 'biome', ['ci', '--colors=off', '--error-on-warnings', '.']],
  ['types', 'tsc', []],
  ['types in browsers', 'tsc', ['--project', 'src/browser']],
  ['boundaries', 'depcruise', ['--config', '.dependency-cruiser.mjs', 'src']],
  ['picture of the rooms', 'node', ['scripts/architecture.mjs', '--check']],
  ['unused code', 'knip', []],
  ['package', 'publint', ['--strict']],
  [
    'entry types',
    'attw',
    ['--pack', '--profile', 'esm-only', '--quiet', '--exclude-entrypoints', ...ASSETS],
  ],
]

for (const [name, command, args] of checks) {
  const started = Date.now()
  process.stdout.write(`${name} … `)
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) {
    process.stdout.write(`failed\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\n`)
    process.exit(1)
  }
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

const { status } = spawnSync('vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
