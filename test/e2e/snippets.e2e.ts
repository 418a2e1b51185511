import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { build, ROOT } from '../command-line.ts'
import { API_SECRET, DRAFT, STRIPE_SECRET } from '../harness.ts'
import { blockAfter, blocksOf } from '../printed.ts'
import { temporaryDirectory } from '../stores.ts'
import { readerBeside } from './reader.ts'

vi.setConfig({ testTimeout: 90_000 })

beforeAll(() => build(), 120_000)

/** A project that has this package, and what it asks its hosts for. */
function project(): string {
  const directory = temporaryDirectory()
  for (const folder of ['node_modules', 'node_modules/@types']) mkdirSync(join(directory, folder))
  symlinkSync(ROOT, join(directory, 'node_modules/placard'))
  for (const name of ['react', 'react-dom', 'hono', '@hono', '@types/react', '@types/node']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name))
  }
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  return directory
}

/** Runs a module, and resolves with what it prints. */
function run(code: string, directory = project()): string {
  writeFileSync(join(directory, 'main.ts'), code)
  const env = { EVENT_API_SECRET: API_SECRET, STRIPE_WEBHOOK_SECRET: STRIPE_SECRET }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['main.ts'], {
    cwd: directory,
    env,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

const SERVICE = blockAfter('README.md', 'You can also mount the service')
const CLOSE = '\nawait placard.close()'

it('README.md: mounts the service where there is fetch', () => {
  const answer = `console.log((await placard.fetch(new Request('https://example.com/api/events'))).status)`
  expect(run(`${SERVICE}\n${answer}${CLOSE}`)).toBe('200\n')
})

it('docs/frameworks.md: renders the bar to a string, asks a service elsewhere, finds the stylesheet', async () => {
  const fallback = JSON.stringify(DRAFT)
  const html = blockAfter('docs/frameworks.md', '# In any other framework')
  const bar = run(
    `${SERVICE}\nconst fallback = ${fallback} as const\n${html}\nconsole.log(html)${CLOSE}`,
  )
  expect(bar).toContain(DRAFT.text)

  const { url, run: command, stop } = await readerBeside()
  onTestFinished(() => void stop())
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
  const { url, stop, directory } = await readerBeside()
  onTestFinished(() => void stop())
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

/** What a block takes from what is around it in the guide, or from its framework. */
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

it('what is only checked by its types: none is wrong', () => {
  const directory = project()
  const inNext = blockAfter('docs/next.md', '**`placard.ts`**')
  writeFileSync(join(directory, 'placard.ts'), inNext)
  writeFileSync(join(directory, 'css.d.ts'), `declare module '*.css'`)
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  const blocks = pages.flatMap(blocksOf).filter(({ mark }) => mark === 'types-only')
  expect(blocks.length).toBeGreaterThan(3)
  for (const { page, line, text } of blocks) {
    // A part of a file stands in for the line of that file that it replaces.
    const [, store = ''] = /^( {2}store: .*\n)/m.exec(text) ?? []
    const whole =
      store && page === 'docs/next.md'
        ? text.replace(
            store,
            inNext.replace(/^import .*sqlite.*\n/m, '').replace(/^ {2}store: .*\n/m, store),
          )
        : text
    writeFileSync(
      join(directory, `${page.replaceAll(/\W/g, '-')}-${line}.tsx`),
      `${AROUND[page] ?? ''}\n${whole}`,
    )
  }
  const compilerOptions = {
    ...{
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
    },
    ...{ jsx: 'react-jsx', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
    paths: { '@/*': ['./*'] },
  }
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }),
  )
  const { stdout } = spawnSync('tsc', ['--pretty', 'false'], { cwd: directory, encoding: 'utf8' })
  expect(stdout).toBe('')
})
