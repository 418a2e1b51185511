/**
 * Provides what every script but `build` needs: the packages of the lock file, and a build newer than the sources. It
 * prints nothing when there is nothing to do. It runs on the machine's own Node.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const LOCK = 'package-lock.json'
const INSTALLED = 'node_modules/.package-lock.json'
/** The pinned Node, which npm puts first on the `PATH` of scripts. */
const NODE = 'node_modules/.bin/node'
/** Written last, with the time at which the build began. */
const BUILT = 'dist/.built'
/** How often a terminal shows the progress of a step. */
const REDRAW_MS = 200

if (changedAt(LOCK) > changedAt(INSTALLED)) {
  const wanted = wantedPackages()
  const inPlace = () => wanted.filter((path) => existsSync(join(path, 'package.json'))).length
  const command = 'npm ci --prefer-offline --no-audit --no-fund --loglevel=http'
  // npm installs hardly any package before it has requested all of them, so the requests show its progress.
  const progress = (output) => {
    const requests = output.split('npm http ').length - 1
    return `, ${requests} requests, ${inPlace()} of ${wanted.length} packages`
  }
  await step('Installing packages', command, progress)
}

// npm before 11.6 removes the link to this machine's Node together with the links to Node for other platforms.
if (existsSync(INSTALLED) && !existsSync(NODE)) {
  const path = wantedPackages().find((one) => existsSync(join(one, 'bin/node')))
  if (path) symlinkSync(join('../..', path, 'bin/node'), NODE)
}

const sources = ['src', 'locales', 'tsdown.config.ts', 'package.json', INSTALLED]
if (Math.max(...sources.map(changedAt)) > changedAt(BUILT)) {
  await step('Building', 'npm run --silent build')
}

/** Milliseconds since 1970 of the last change in a file or folder; 0 when there is none. */
function changedAt(path) {
  if (!existsSync(path)) return 0
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}

/** The paths to which npm installs the lock file's packages for this platform. */
function wantedPackages() {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'))
  const libraryOfC = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  const isFor = (list, name) => !list || list.includes(name)
  return Object.keys(packages).filter((path) => {
    const { os, cpu, libc } = packages[path]
    const isHere = isFor(os, process.platform) && isFor(cpu, process.arch)
    return path !== '' && isHere && isFor(libc, libraryOfC)
  })
}

/**
 * Runs a command, and prints on one line how long it took. A terminal also shows the progress on that line; a pipe or a
 * file gets only the result.
 *
 * @param progress describes how far the command is, given what it has printed so far
 */
async function step(what, command, progress = () => '') {
  const { isTTY } = process.stderr
  const started = Date.now()
  const seconds = (digits) => `${((Date.now() - started) / 1000).toFixed(digits)} s`
  let drawn = ''
  function show(text) {
    // Spaces overwrite the previous text, so the terminal needs to support nothing but a carriage return.
    process.stderr.write(isTTY ? `\r${what} … ${text.padEnd(drawn.length)}` : text)
    drawn = text
  }
  process.stderr.write(`${what} … `)
  const running = run(command)
  const redraw =
    isTTY && setInterval(() => show(`${seconds(0)}${progress(running.output())}`), REDRAW_MS)
  const code = await running.ended
  clearInterval(redraw)
  show(code === 0 ? seconds(1) : 'failed')
  process.stderr.write('\n')
  if (code === 0) return
  const output = running.output().replaceAll(/^npm (http|warn) .*\n?/gm, '')
  process.stderr.write(`${output.trim()}\n\nTo run only this step: ${command}\n`)
  process.exit(1)
}

/** Runs a command through a shell, which finds npm.cmd, and reports if there is no npm. */
function run(command) {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = []
  for (const output of [child.stdout, child.stderr]) output.on('data', (part) => said.push(part))
  const ended = new Promise((resolve) => {
    child.on('error', ({ message }) => {
      said.push(Buffer.from(message))
      resolve(1)
    })
    child.on('close', resolve)
  })
  return { ended, output: () => Buffer.concat(said).toString() }
}
