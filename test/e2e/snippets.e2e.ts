import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../command-line.ts'
import { DRAFT, SECRETS } from '../harness.ts'
import { blockAfter, blocksOf } from '../printed.ts'
import { temporaryDirectory } from '../stores.ts'
import { put } from './guide.ts'
import { complaints, STRICT } from './npm.ts'
import { readerBeside } from './reader.ts'

/** A project with this package and its peer dependencies. */
function project(): string {
  const directory = temporaryDirectory()
  for (const folder of ['node_modules', 'node_modules/@types']) mkdirSync(join(directory, folder))
  symlinkSync(ROOT, join(directory, 'node_modules/placard'))
  for (const name of ['react', 'react-dom', 'hono', '@hono', '@types/react', '@types/node']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name))
  }
  put(directory, 'package.json', '{ "type": "module" }')
  return directory
}

/** Runs a module, and returns its output. */
function run(code: string, directory = project()): string {
  put(directory, 'main.ts', code)
  const { status, stdout, stderr } = spawnSync(process.execPath, ['main.ts'], {
    cwd: directory,
    env: SECRETS,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

const SERVICE = blockAfter('README.md', 'You can also mount the service')
const CLOSE = '\nawait placard.close()'

it('README.md: the service can be mounted wherever `Request` and `Response` exist', () => {
  const answer = `console.log((await placard.fetch(new Request('https://example.com/api/events'))).status)`
  const said = `${SERVICE}\n${answer}\nconsole.log(live?.text)\nconsole.log(refused)${CLOSE}`
  const [, refused] = /^\/\/ '(.*)'$/m.exec(SERVICE) ?? []
  expect(run(said)).toBe(`200\n${DRAFT.text}\n${refused}\n`)
})

it('docs/frameworks.md: the code renders the bar, reads a remote service and finds the stylesheet', async () => {
  const fallback = JSON.stringify(DRAFT)
  const html = blockAfter('docs/frameworks.md', '# In any other framework')
  const bar = run(
    `${SERVICE}\nconst fallback = ${fallback} as const\n${html}\nconsole.log(html)${CLOSE}`,
  )
  expect(bar).toContain(DRAFT.text)

  const { url, run: command } = await readerBeside()
  await command('placard publish "We wrote about caching"')
  const ask = blockAfter('docs/frameworks.md', 'If the service runs elsewhere').replace(
    'https://notices.example',
    url,
  )
  expect(run(`${ask}\nconsole.log(event?.text)`)).toBe('We wrote about caching\n')

  const sheet = blockAfter('docs/frameworks.md', '## A plain server')
  expect(run(`${sheet}\nconsole.log(String(css))`)).toContain('.placard-link')
})

it('docs/http-api.md: the typed client publishes, reads and withdraws', async () => {
  const { url, directory } = await readerBeside()
  const client = blockAfter('docs/http-api.md', 'From TypeScript').replace(
    'https://notices.example',
    url,
  )
  const told = client
    .replace(
      'process.env.EVENT_API_SECRET',
      `(await import('node:fs')).readFileSync('${directory}/data/event-api-secret', 'utf8').trim()`,
    )
    .replace('await client.current()', 'console.log((await client.current())?.text)')
  expect(run(`${told}\nconsole.log(await client.current())`)).toBe('We wrote about caching\nnull\n')
})

/** What a block uses from its surroundings in the guide, or from its framework. */
const AROUND: Record<string, string> = {
  'docs/embed.md': `
    import type { Placard } from 'placard'
    declare const placard: Placard
    declare const fallback: { text: string; type: 'post'; slug: string }`,
  'docs/frameworks.md': `
    import type { Placard } from 'placard'
    declare const placard: Placard
    declare function defineEventHandler(handle: (event: object) => unknown): unknown
    declare function toWebRequest(event: object): Request
    declare function getRequestIP(event: object): string | undefined`,
}

it('code blocks that are only type-checked have no type errors', async () => {
  const directory = project()
  const inNext = blockAfter('docs/next.md', '**`placard.ts`**')
  put(directory, 'placard.ts', inNext)
  put(directory, 'css.d.ts', `declare module '*.css'`)
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  const blocks = pages.flatMap(blocksOf).filter(({ mark }) => mark === 'types-only')
  expect(blocks.length).toBeGreaterThan(3)
  for (const { page, line, text } of blocks) {
    // A block that shows part of a file is checked in that file, in place of the line that it replaces.
    const [, store = ''] = /^( {2}store: .*\n)/m.exec(text) ?? []
    const whole =
      store && page === 'docs/next.md'
        ? text.replace(
            store,
            inNext.replace(/^import .*sqlite.*\n/m, '').replace(/^ {2}store: .*\n/m, store),
          )
        : text
    const file = `${page.replaceAll(/\W/g, '-')}-${line}.tsx`
    put(directory, file, `${AROUND[page] ?? ''}\n${whole}`)
  }
  const compilerOptions = {
    ...STRICT,
    ...{ jsx: 'react-jsx', skipLibCheck: true, types: ['node'] },
    paths: { '@/*': ['./*'] },
  }
  const config = { compilerOptions, include: ['*.ts', '*.tsx'] }
  put(directory, 'tsconfig.json', JSON.stringify(config))
  expect(await complaints(directory, 'tsc', ['--pretty', 'false'])).toBe('')
})
