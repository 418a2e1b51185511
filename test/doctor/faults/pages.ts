import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { PlacardBar } from '../../../src/bar/placard-bar.tsx'
import type { Finding } from '../../../src/cli/doctor/finding.ts'

/** A page as it comes to a browser, and its files. */
export interface Page {
  html: string | Buffer
  /** What never happens, as far as a visitor can wait. */
  never?: 'starts' | 'ends'
  status?: number
  headers?: Record<string, string>
  files?: Record<string, string>
}

/** Two services: the one whose bar should be there, and another. */
export interface Services {
  here: string
  other: string
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

export interface FaultyPage {
  name: string
  page(services: Services): Page | Promise<Page>
  finds: [status: Finding['status'], message: RegExp]
}

/** In a page that should have the bar. */
export const PAGES: FaultyPage[] = [
  {
    name: 'without the tag',
    page: ({ here }) => ({
      html: body(`<h1>Shop</h1><!-- ${tag(here)} -->`),
    }),
    finds: ['fail', /^Placard's tag is not in the HTML/],
  },
  {
    name: 'without the tag, where a script may add it',
    page: () => ({ html: body('<script>load("/embed.js")</script>') }),
    finds: ['warn', /^Placard's tag is not in/],
  },
  {
    name: 'that is not there',
    page: () => ({ html: 'Not found', status: 404 }),
    finds: ['fail', /answers 404 with text\/html/],
  },
  {
    name: 'with the tag of another service',
    page: ({ other }) => ({ html: body(ELEMENT + tag(other)) }),
    finds: ['fail', /loads the bar from .*, which is not an address of this service/],
  },
  {
    name: 'with a policy that forbids the script',
    page: ({ here }) => ({
      html: body(ELEMENT + tag(here)),
      headers: { 'Content-Security-Policy': "default-src 'self'" },
    }),
    finds: ['fail', /Content-Security-Policy .* forbids .*\/embed\.js \(default-src\)/],
  },
  {
    name: 'with a policy that forbids the stream',
    page: ({ here }) => ({
      html: body(
        ELEMENT + tag(here),
        `<meta http-equiv="Content-Security-Policy" content="connect-src 'self' https:">`,
      ),
    }),
    finds: ['fail', /forbids .*\/embed\.html \(connect-src\)/],
  },
  {
    name: 'with a tag that is a module',
    page: ({ here }) => ({ html: body(ELEMENT + tag(here, 'type="module"')) }),
    finds: ['fail', /has type="module", with which the script can't run/],
  },
  {
    name: 'with a tag for browsers without modules',
    page: ({ here }) => ({ html: body(ELEMENT + tag(here, 'nomodule')) }),
    finds: ['fail', /has nomodule, with which the script can't run/],
  },
  {
    name: 'with a tag that waits for consent',
    page: ({ here }) => ({ html: body(ELEMENT + tag(here, 'type="text/plain"')) }),
    finds: ['fail', /has type="text\/plain", with which/],
  },
  {
    name: 'that does not come in time',
    page: () => ({ html: '', never: 'starts' }),
    finds: ['fail', /gives no answer in \d\.\d s$/],
  },
  {
    name: 'that never ends, without the tag in what came',
    page: () => ({ html: body('<h1>Shop</h1>'), never: 'ends' }),
    finds: ['warn', /^Placard's tag is not in what came in time of the HTML/],
  },
  {
    name: 'with the tag behind the first 4 MiB',
    page: ({ here }) => ({ html: body(`${'<p>A shop</p>'.repeat(400_000)}${tag(here)}`) }),
    finds: ['warn', /^Placard's tag is not in what came in time of the HTML/],
  },
]
