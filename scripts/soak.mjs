/**
 * `npm run soak`: kills the service with `kill -9` again and again. `npm run soak histories`, `windows`, `offers`,
 * `postgres` and `planted` run the other long proofs of docs/testing.md. Numbers after the name: how many runs, and the
 * seed of the first.
 */
import { spawnSync } from 'node:child_process'

const OTHERS = {
  histories: ['node', 'bench/soak-histories.ts'],
  windows: ['node', 'bench/soak-windows.ts'],
  offers: ['node', 'bench/soak-offers.ts'],
  postgres: ['node', 'bench/soak-postgres.ts'],
  planted: ['vitest', 'run', '--config', 'test/histories/vitest.config.ts'],
}

const [name = '', ...rest] = process.argv.slice(2)
const other = OTHERS[name]
if (!other && !/^\d*$/.test(name)) {
  console.error(`There is no soak ${name}. Choose one of ${Object.keys(OTHERS).join(', ')}`)
  process.exit(1)
}
const [command, ...args] = other ?? ['node', 'bench/soak.ts', ...(name ? [name] : [])]
const { status } = spawnSync(command, [...args, ...rest], { stdio: 'inherit' })
process.exitCode = status ?? 1
