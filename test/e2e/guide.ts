import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blockAfter } from '../printed.ts'

const LAYOUT = 'app/layout.tsx'
const BODY = /(?<=<body[^>]*>)/
const API = 'app/api/[[...placard]]/route.ts'
const ADMIN = 'app/admin/[[...path]]/route.ts'

/** Adds what docs/next.md says, from its own code blocks. */
export function followGuide(app: string, cacheComponents: boolean): void {
  put(app, 'placard.ts', blockAfter('docs/next.md', '**`placard.ts`**'))
  put(app, API, blockAfter('docs/next.md', '**`app/api/[[...placard]]/route.ts`**'))
  put(app, 'instrumentation.ts', blockAfter('docs/next.md', '**`instrumentation.ts`**'))
  put(app, ADMIN, blockAfter('docs/next.md', '## The admin, if you want'))
  put(app, 'app/bar.tsx', forApp(blockAfter('docs/next.md', '`app/bar.tsx`'), cacheComponents))
  edit(app, LAYOUT, /^/, blockAfter('docs/next.md', 'In `app/layout.tsx`'))
  edit(app, LAYOUT, BODY, blockAfter('docs/next.md', 'at the start of `<body>`'))
  put(app, 'app/globals.css', blockAfter('docs/next.md', 'In `app/globals.css`'))
  edit(app, LAYOUT, /^/, "import './globals.css'\n")
}

/** Adds what docs/serverless.md says, and a cache that several processes share, as on a platform. */
export function followServerlessGuide(app: string): void {
  put(app, 'placard.ts', blockAfter('docs/serverless.md', '**`placard.ts`**'))
  put(app, API, blockAfter('docs/serverless.md', '**`app/api/[[...placard]]/route.ts`**'))
  put(app, 'app/bar.tsx', blockAfter('docs/serverless.md', '**`app/bar.tsx`**'))
  edit(app, LAYOUT, /^/, blockAfter('docs/serverless.md', 'In `app/layout.tsx`'))
  edit(app, LAYOUT, BODY, blockAfter('docs/serverless.md', 'at the start of `<body>`'))
  put(app, 'app/live.tsx', blockAfter('docs/next.md', 'Add `app/live.tsx`'))
  put(app, 'app/live/page.tsx', livePage())
  put(app, 'app/slow/page.tsx', SLOW_PAGE)
  put(app, 'app/slow/drop/route.ts', DROP_SLOW_PAGE)
  const cache = fileURLToPath(new URL('shared-cache.mjs', import.meta.url))
  put(app, 'shared-cache.mjs', readFileSync(cache, 'utf8'))
  put(app, 'pages-cache.mjs', "export { Pages as default } from './shared-cache.mjs'\n")
  put(app, 'use-cache.mjs', "export { useCache as default } from './shared-cache.mjs'\n")
  edit(app, 'next.config.ts', /(?<=const nextConfig: NextConfig = \{\n)/, SHARED_CACHE)
}

const livePage = () => `
  import { Suspense } from 'react'
  import { Live } from '../live'

  export default function Page() {
    return (${blockAfter('docs/serverless.md', '## Live, if you want')})
  }
`

/** A page that renders slowly whenever it has been dropped from the cache. */
const SLOW_PAGE = `
  import { cacheTag } from 'next/cache'

  async function Slow() {
    'use cache'
    cacheTag('slow')
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    return null
  }

  export default () => <Slow />
`
const DROP_SLOW_PAGE = `
  import { revalidateTag } from 'next/cache'

  export async function POST() {
    revalidateTag('slow', { expire: 0 })
    return new Response()
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
  const origin = blockAfter('docs/next.md', 'the option `origin`')
  edit(app, 'placard.ts', /(?<=trustProxy: .*\n)/, origin)
  const admin = blockAfter('docs/next.md', 'address at which people reach the app')
  edit(app, ADMIN, /^export .*\n/m, admin)
  put(app, 'app/live.tsx', blockAfter('docs/next.md', 'Add `app/live.tsx`'))
  edit(app, 'app/live.tsx', /^ {2}return .*\n/m, blockAfter('docs/next.md', 'In `app/live.tsx`'))
  edit(app, 'app/live.tsx', /[\s\S]*/, (text) => forApp(text, cacheComponents))
  edit(app, LAYOUT, /^/, "import { Live } from './live'\n")
  edit(app, LAYOUT, /(?=<Bar \/>)/, '<Live />')
}

/** Removes the fonts, which the build would download. */
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

export function edit(app: string, path: string, part: RegExp | string, change: Change): void {
  put(app, path, replaced(readFileSync(join(app, path), 'utf8'), part, change))
}

function replaced(text: string, part: RegExp | string, change: Change): string {
  const after = text.replace(part, typeof change === 'string' ? () => change : change)
  if (after === text) throw new Error(`There is no ${part} in:\n${text}`)
  return after
}
