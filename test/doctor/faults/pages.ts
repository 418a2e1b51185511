import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { PlacardBar } from '../../../src/bar/placard-bar.tsx'
import type { Finding } from '../../../src/cli/doctor/finding.ts'

/** A page as it comes to a browser. */
export interface Page {
  html: string
  /** What never happens, as far as a visitor can wait. */
  never?: 'starts' | 'ends'
  status?: number
  headers?: Record<string, string>
}

export const ELEMENT =
  '<style>placard-link { display: block; min-height: 3.25rem }</style><placard-link></placard-link>'
export const tag = (origin: string, more = '') =>
  `<script src="${origin}/embed.js" async ${more}></script>`
export const body = (html: string, head = '') =>
  `<!doctype html><html><head>${head}</head><body>${html}</body></html>`
export const bar = (text: string) =>
  renderToStaticMarkup(createElement(PlacardBar, { event: { text, type: 'product', slug: '/' } }))
export const strict = (origin: string) =>
  `default-src 'self'; script-src ${origin}; connect-src ${origin}`
const withBar = (origin: string, more = '', head = '') => body(ELEMENT + tag(origin, more), head)

/** In a page that should have the bar of the first of two services. */
export const PAGES: [
  name: string,
  page: (here: string, other: string) => Page,
  status: Finding['status'],
  message: RegExp,
][] = [
  [
    'without the tag',
    (here) => ({ html: body(`<h1>Shop</h1><!-- ${tag(here)} -->`) }),
    'fail',
    /^Placard's script tag is not in the HTML of \S+$/,
  ],
  [
    'without the tag, where a script may add it',
    () => ({ html: body('<script>load("/embed.js")</script>') }),
    'warn',
    /^Placard's script tag is not in/,
  ],
  [
    'that is not there',
    () => ({ html: 'Not found', status: 404 }),
    'fail',
    /answers 404 with text\/html/,
  ],
  [
    'with the tag of another service',
    (_, other) => ({ html: withBar(other) }),
    'fail',
    /loads the bar from .*, which is not an address of this service/,
  ],
  [
    'with a policy that forbids the script',
    (here) => ({
      html: withBar(here),
      headers: { 'Content-Security-Policy': "default-src 'self'" },
    }),
    'fail',
    /Content-Security-Policy .* forbids .*\/embed\.js \(default-src\)/,
  ],
  [
    'with a policy that wants a nonce, which the tag has not',
    (here) => ({
      html: withBar(here),
      headers: { 'Content-Security-Policy': `script-src 'strict-dynamic' 'nonce-abc' ${here}` },
    }),
    'fail',
    /forbids .*\/embed\.js \(script-src\)/,
  ],
  [
    'with a policy that forbids the stream',
    (here) => ({
      html: withBar(
        here,
        '',
        `<meta http-equiv="Content-Security-Policy" content="connect-src 'self' https:">`,
      ),
    }),
    'fail',
    /forbids .*\/embed\.html \(connect-src\)/,
  ],
  [
    'with a tag that is a module',
    (here) => ({ html: withBar(here, 'type="module"') }),
    'fail',
    /has type="module", so the script can't run/,
  ],
  [
    'with a tag for browsers without modules',
    (here) => ({ html: withBar(here, 'nomodule') }),
    'fail',
    /has nomodule, so the script can't run/,
  ],
  [
    'with a tag that waits for consent',
    (here) => ({ html: withBar(here, 'type="text/plain"') }),
    'fail',
    /has type="text\/plain", so the script can't run/,
  ],
  [
    'that does not come in time',
    () => ({ html: '', never: 'starts' }),
    'fail',
    /gives no answer in \d\.\d s$/,
  ],
  [
    'that never ends, without the tag in what came',
    () => ({ html: body('<h1>Shop</h1>'), never: 'ends' }),
    'warn',
    /^Placard's script tag is not in the HTML of .* arrived in time$/,
  ],
  [
    'with the tag behind the first 4 MiB',
    (here) => ({ html: body(`${'<p>A shop</p>'.repeat(400_000)}${tag(here)}`) }),
    'warn',
    /^Placard's script tag is not in the HTML of .* arrived in time$/,
  ],
]
