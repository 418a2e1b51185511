import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { build, ROOT } from './command-line.ts'
import { temporaryDirectory } from './stores.ts'

/** What `tsdown` does to `dist`: it writes the command line, then fails if the source of a part is broken. */
const BUILD = `
  import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
  rmSync('dist', { recursive: true, force: true })
  mkdirSync('dist')
  writeFileSync('dist/.building', '')
  writeFileSync('dist/cli.js', '')
  if (readFileSync('src/part.ts', 'utf8') === 'broken') throw new Error('part.ts is broken')
  writeFileSync('dist/part.js', '')`

/** A checkout with our scripts, and with sources that are built instantly. */
function checkout() {
  const directory = temporaryDirectory()
  const at = (path: string) => join(directory, path)
  for (const folder of ['src', 'locales', 'scripts']) mkdirSync(at(folder))
  copyFileSync(join(ROOT, 'scripts/setup.mjs'), at('scripts/setup.mjs'))
  writeFileSync(at('build.mjs'), BUILD)
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const { prepack, postbuild } = scripts
  const ours = { prepack, build: 'node build.mjs', postbuild }
  const manifest = {
    name: 'ours',
    version: '1.0.0',
    type: 'module',
    scripts: ours,
    files: ['dist'],
  }
  writeFileSync(at('package.json'), JSON.stringify(manifest))
  /** Writes the source with a time long before any build, so that it gives no reason to build again. */
  const write = (text: string) => {
    writeFileSync(at('src/part.ts'), text)
    for (const path of ['src/part.ts', 'package.json']) utimesSync(at(path), 1_000, 1_000)
  }
  const setUp = (env = process.env) => {
    const run = spawnSync(process.execPath, ['scripts/setup.mjs'], { cwd: directory, env })
    return { code: run.status, output: String(run.stderr) }
  }
  const pack = () => {
    const options = { cwd: directory, encoding: 'utf8', shell: true } as const
    const run = spawnSync('npm pack --json --dry-run', options)
    return { code: run.status, output: run.stdout }
  }
  return { at, write, setUp, pack }
}

const BUILT = { code: 0, output: expect.stringMatching(/^Building … [\d.]+ s\n$/) }

describe('npm start and npm test', () => {
  it('rebuild after a failed build, but not after a successful one', () => {
    const { at, write, setUp } = checkout()
    write('broken')
    const { code, output } = setUp()
    expect(code).toBe(1)
    expect(output).toMatch(/part\.ts is broken[\s\S]*npm run --silent build\n$/)
    expect(statSync(at('dist/cli.js')).isFile()).toBe(true)
    write('whole')
    expect(setUp()).toEqual(BUILT)
    expect(statSync(at('dist/part.js')).isFile()).toBe(true)
    expect(setUp()).toEqual({ code: 0, output: '' })
  })

  it('rebuild after a locale changed', () => {
    const { at, write, setUp } = checkout()
    write('whole')
    expect(setUp()).toEqual(BUILT)
    const later = (statSync(at('dist/.built')).mtimeMs + 1) / 1_000
    writeFileSync(at('locales/en.json'), '{}')
    utimesSync(at('locales/en.json'), later, later)
    expect(setUp()).toEqual(BUILT)
  })

  it('rebuild if a source changed during the last build', () => {
    const { at, write, setUp } = checkout()
    write('whole')
    expect(setUp()).toEqual(BUILT)
    // After the build began and before it was over, because npm takes more than a millisecond to end.
    const during = (statSync(at('dist/part.js')).mtimeMs + 1) / 1_000
    utimesSync(at('src/part.ts'), during, during)
    expect(setUp()).toEqual(BUILT)
    // The same in this checkout, whose build takes longer.
    build()
    const time = (path: string) => statSync(join(ROOT, path)).mtimeMs
    expect(time('dist/.built')).toBeLessThan(time('dist/cli.js'))
  })
})

it('setup adds the missing link to the Node that npm installed', () => {
  const { at, write, setUp } = checkout()
  write('whole')
  const own = 'node_modules/node-of-this-machine'
  const lock = { packages: { '': {}, 'node_modules/node-of-another': {}, [own]: {} } }
  writeFileSync(at('package-lock.json'), JSON.stringify(lock))
  for (const folder of [`${own}/bin`, 'node_modules/.bin'])
    mkdirSync(at(folder), { recursive: true })
  for (const path of [`${own}/bin/node`, 'node_modules/.package-lock.json']) {
    writeFileSync(at(path), '')
  }
  for (const _ of ['first', 'second']) expect(setUp().code).toBe(0)
  expect(realpathSync(at('node_modules/.bin/node'))).toBe(realpathSync(at(`${own}/bin/node`)))
})

it('npm pack builds a fresh clone first, and packs nothing if the build fails', () => {
  const { write, pack } = checkout()
  write('broken')
  expect(pack()).toMatchObject({ code: 1, output: expect.not.stringContaining('"files"') })
  write('whole')
  const { code, output } = pack()
  expect(code).toBe(0)
  const [{ files }] = JSON.parse(output) as [{ files: { path: string }[] }]
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['dist/part.js']))
})
