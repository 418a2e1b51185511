/**
 * What `npm start` and `npm test` need before they can run: packages as the lock file has them, and a build
 * newer than the sources. Says nothing when there is nothing to do. Runs on whatever Node the machine has.
 */
import { execSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const INSTALLED = 'node_modules/.package-lock.json'
/** Written last, with the time at which the build began. */
const BUILT = 'dist/.built'

if (changedAt('package-lock.json') > changedAt(INSTALLED)) {
  step('Installing packages', 'npm ci --no-audit --no-fund --loglevel=error')
}

const sources = ['src', 'tsdown.config.ts', 'package.json', INSTALLED]
if (Math.max(...sources.map(changedAt)) > changedAt(BUILT)) {
  step('Building', 'npm run --silent build')
}

/** Milliseconds since 1970 of the last change in a file or folder; 0 when there is none. */
function changedAt(path) {
  if (!existsSync(path)) return 0
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}

function step(what, command) {
  const started = Date.now()
  process.stderr.write(`${what} … `)
  try {
    // Through a shell, because it finds npm.cmd, and says so if there is no npm.
    execSync(command, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
  } catch ({ stdout, stderr, message }) {
    const cause = `${stdout ?? ''}${stderr ?? ''}`.trim() || message
    process.stderr.write(`failed\n${cause}\n\nTo try that by itself: ${command}\n`)
    process.exit(1)
  }
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}
