import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const guide = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url)), 'utf8')
const GUIDE = guide('next')
const LAYOUT = 'app/layout.tsx'
const ADMIN = 'app/admin/[[...path]]/route.ts'

/** The first block of a guide after these words. Default: docs/next.md. */
export function block(words: string, text = GUIDE): string {
  const found = text.split(words)[1]?.match(/```\w+\n([\s\S]*?)```/)?.[1]
  if (!found) throw new Error(`The guide has no block after ${words}`)
  return found
}

/** Puts in what docs/next.md says, by its own blocks. */
export function followGuide(app: string, cacheComponents: boolean): void {
  for (const path of ['placard.ts', 'app/api/[[...placard]]/route.ts', 'instrumentation.ts']) {
    put(app, path, block(`\`${path}\``))
  }
  put(app, ADMIN, block('## The admin, if you want'))
  put(app, 'app/bar.tsx', forApp(block('`app/bar.tsx`'), cacheComponents))
  edit(app, LAYOUT, /^/, block('In `app/layout.tsx`'))
  edit(app, LAYOUT, /(?<=<body[^>]*>)/, block('at the start of `<body>`'))
}

/** Puts in what docs/serverless.md says, and a cache that several processes share, as a platform has one. */
export function followServerlessGuide(app: string): void {
  const text = guide('serverless')
  for (const path of ['placard.ts', 'app/api/[[...placard]]/route.ts', 'app/bar.tsx']) {
    put(app, path, block(`\`${path}\``, text))
  }
  edit(app, LAYOUT, /^/, block('In `app/layout.tsx`', text))
  edit(app, LAYOUT, /(?<=<body[^>]*>)/, block('at the start of `<body>`', text))
  put(app, 'app/live.tsx', block('Add `app/live.tsx`'))
  put(app, 'app/live/page.tsx', LIVE_PAGE)
  const cache = fileURLToPath(new URL('shared-cache.mjs', import.meta.url))
  put(app, 'shared-cache.mjs', readFileSync(cache, 'utf8'))
  put(app, 'pages-cache.mjs', "export { Pages as default } from './shared-cache.mjs'\n")
  put(app, 'use-cache.mjs', "export { useCache as default } from './shared-cache.mjs'\n")
  edit(app, 'next.config.ts', /(?<=const nextConfig: NextConfig = \{\n)/, SHARED_CACHE)
}

const LIVE_PAGE = `
  import { Live } from '../live'

  export default function Page() {
    return <Live />
  }
`

const SHARED_CACHE = `
  cacheHandler: import.meta.dirname + '/pages-cache.mjs',
  cacheHandlers: { default: import.meta.dirname + '/use-cache.mjs' },
  cacheMaxMemorySize: 0,
`

/** Makes the app live, under a `basePath`. */
export function followBasePath(app: string, cacheComponents: boolean): void {
  edit(app, 'next.config.ts', /(?<=const nextConfig: NextConfig = \{\n)/, "basePath: '/shop',\n")
  edit(app, 'placard.ts', /(?<=trustProxy: .*\n)/, block('the option `origin`'))
  edit(app, ADMIN, /^export .*\n/m, block('`url` says where people reach the app'))
  put(app, 'app/live.tsx', block('Add `app/live.tsx`'))
  edit(app, 'app/live.tsx', /^ {2}return .*\n/m, block('In `app/live.tsx`'))
  edit(app, 'app/live.tsx', /[\s\S]*/, (text) => forApp(text, cacheComponents))
  edit(app, LAYOUT, /^/, "import { Live } from './live'\n")
  edit(app, LAYOUT, /(?=<Bar \/>)/, '<Live />')
}

/** The next app downloads no fonts. */
export function takeFontsOut(app: string): void {
  edit(app, LAYOUT, /import \{ Geist.*\n/, '')
  edit(app, LAYOUT, /const geist\w+ = [\s\S]*?\}\);\n/g, '')
  edit(app, LAYOUT, /\$\{geist\w+\.variable\} ?/g, '')
}

export function put(app: string, path: string, text: string): void {
  const file = join(app, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** What the guide says to change where `cacheComponents` is not set. */
function forApp(text: string, cacheComponents: boolean): string {
  if (cacheComponents) return text
  const directive = replaced(text, /^ *'use cache'\n/m, '')
  return replaced(directive, /placard\.current\(\)/, 'placard.currentTagged()')
}

type Change = string | ((found: string) => string)

function edit(app: string, path: string, part: RegExp, change: Change): void {
  put(app, path, replaced(readFileSync(join(app, path), 'utf8'), part, change))
}

function replaced(text: string, part: RegExp, change: Change): string {
  const after = text.replace(part, typeof change === 'string' ? () => change : change)
  if (after === text) throw new Error(`There is no ${part} in:\n${text}`)
  return after
}
