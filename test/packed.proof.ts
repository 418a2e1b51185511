import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { elsewhere, untracked, withSecrets } from '../scripts/packed.ts'
import { ROOT, read } from './printed.ts'
import { temporaryDirectory } from './stores.ts'

const RANDOM = '51QxYz7Kd83mNbVcRt2w'

/** A clone with a licence and a locale that git tracks, an untracked locale, and a built file. */
function clone(origin?: string) {
  const directory = temporaryDirectory()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory })
  git('init', '--quiet')
  if (origin) git('remote', 'add', 'origin', origin)
  for (const folder of ['locales', 'dist']) mkdirSync(join(directory, folder))
  const paths = ['LICENSE', 'locales/en.json', 'locales/private.json', 'dist/index.js']
  for (const path of paths) writeFileSync(join(directory, path), '')
  git('add', 'LICENSE', 'locales/en.json')
  return { directory, paths }
}

it("a file that git doesn't track isn't published, unless it was built", () => {
  const { directory, paths } = clone()
  expect(untracked(directory, paths)).toEqual(['locales/private.json'])
})

it.each(['sk_live_', 'sk_test_', 'rk_live_', 'whsec_'])(
  "a file that contains a secret (%s…) isn't published",
  (kind) => {
    const { directory, paths } = clone()
    writeFileSync(join(directory, 'LICENSE'), `MIT\nkey=${kind}${RANDOM}\n`)
    expect(withSecrets(directory, paths)).toEqual(['LICENSE'])
  },
)

it.each(['https://github.com/Us/placard', 'git@github.com:us/placard.git'])(
  'a clone of %s can be published only as its own project',
  (origin) => {
    const { directory } = clone(origin)
    for (const own of [
      'github:us/placard',
      'us/placard',
      'git+https://github.com/us/placard.git',
      'git+ssh://git@github.com/us/placard.git',
    ])
      expect(elsewhere(directory, own)).toBeUndefined()
    for (const other of ['github:someone/else', 'https://github.com/us/placard-two'])
      expect(elsewhere(directory, other)).toBe('us/placard')
  },
)

it.each([undefined, 'https://git.example/us/placard'])(
  'a clone with the origin %s may belong to any project',
  (origin) => {
    expect(elsewhere(clone(origin).directory, 'github:someone/else')).toBeUndefined()
  },
)

/** The pages that only contributors read. */
const FOR_CONTRIBUTORS = ['docs/architecture.md', 'docs/releasing.md', 'docs/testing.md']

it('the package contains the guides but not the pages for contributors, and llms.txt names all pages', () => {
  const packing = ['pack', '--json', '--dry-run', '--ignore-scripts']
  const [{ files }] = JSON.parse(
    execFileSync('npm', packing, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const packed = files.map(({ path }: { path: string }) => path)
  const pages = globSync('docs/*.md', { cwd: ROOT }).sort()
  const guides = pages.filter((page) => !FOR_CONTRIBUTORS.includes(page))
  expect(packed.filter((path: string) => path.startsWith('docs/')).sort()).toEqual(guides)
  const named = read('llms.txt').matchAll(/\]\((docs\/[^)]+)\)/g)
  expect(Array.from(named, ([, path]) => path).sort()).toEqual(pages)
})
