/**
 * `npm run example:next`: packs this package, installs it into examples/nextjs as a user would, then builds and serves
 * the example. It repeats only steps whose input has changed. Settings and their defaults are those of the service.
 */
import { execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../src/local/config.ts'
import { secretValue } from '../src/local/secret-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const app = join(root, 'examples/nextjs')
const next = join(app, 'node_modules/next/dist/bin/next')
const dotenv = join(root, '.env')
if (existsSync(dotenv)) process.loadEnvFile(dotenv)
const { NODE_ENV: _, ...settings } = process.env
const config = readConfig(settings, root)
const { database, apiSecret, stripeWebhookSecret: signing, host, port } = config
// Next needs NODE_ENV=production, even if the shell has set another. The build needs devDependencies too (`--include=dev`).
const env = { ...settings, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }

const [packed] = JSON.parse(run(root, 'npm', ['pack', '--json', '--ignore-scripts']))
renameSync(join(root, packed.filename), join(app, 'placard.tgz'))

const locked = readFileSync(join(app, 'package-lock.json'))
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json')))
const known = JSON.parse(locked).packages['node_modules/placard'].dependencies
if (Object.entries(dependencies).some(([name, version]) => known[name] !== version)) {
  throw new Error(
    'Dependencies have changed. Run npm install in examples/nextjs, as its README says',
  )
}
once('node_modules/.installed', digest([locked, packed.integrity]), () =>
  step('Installing the example', 'npm', [
    'ci',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]),
)
const texts = globSync('{*.ts,*.mjs,{app,components,locales}/**}', { cwd: app })
  .filter((file) => file !== 'next-env.d.ts' && statSync(join(app, file)).isFile())
  .sort()
  .flatMap((file) => [file, readFileSync(join(app, file))])
once('.next/.built', digest([locked, packed.integrity, ...texts]), () =>
  step('Building the example', 'node', [next, 'build']),
)

const server = spawn('node', [next, 'start', '--port', String(port), '--hostname', host], {
  cwd: app,
  stdio: 'inherit',
  env: {
    ...env,
    DATABASE_URL: database.kind === 'sqlite' ? `file:${database.path}` : database.url,
    EVENT_API_SECRET: await secretValue(apiSecret),
    STRIPE_WEBHOOK_SECRET: signing ? await secretValue(signing, 'whsec_') : undefined,
  },
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('exit', (code) => {
  process.exitCode = code ?? 0
})

function digest(parts) {
  return hash('sha256', parts.join('\n'))
}

/** Does some work, unless it was done before with the same input. */
function once(stamp, state, work) {
  const path = join(app, stamp)
  if (existsSync(path) && readFileSync(path, 'utf8') === state) return
  work()
  writeFileSync(path, state)
}

function step(what, command, args) {
  const started = Date.now()
  process.stderr.write(`${what} … `)
  try {
    run(app, command, args)
  } catch (error) {
    process.stderr.write(`failed\n${error.stdout ?? ''}${error.stderr ?? ''}`)
    process.exit(1)
  }
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

function run(cwd, command, args) {
  return execFileSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
