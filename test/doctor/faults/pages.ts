import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { PlacardBar } from '../../../src/bar/placard-bar.ts'
import type { Finding } from '../../../src/cli/doctor/finding.ts'
import { front } from '../stage.ts'

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
  `default-src 'self'; script-src ${origin}; style-src ${origin}; connect-src ${origin}`

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
      html: body(`<h1>Shop</h1><!-- ${tag(here)} --><template>${tag(here)}</template>`),
    }),
    finds: ['fail', /^There is no tag, element or bar of Placard in the HTML/],
  },
  {
    name: 'without the tag, where a script may add it',
    page: () => ({ html: body('<script>load("/embed.js")</script>') }),
    finds: ['warn', /^There is no tag, element or bar/],
  },
  {
    name: 'that is not there',
    page: () => ({ html: 'Not found', status: 404 }),
    finds: ['fail', /answers 404 with text\/html/],
  },
  {
    name: 'with the tag of another service',
    page: ({ other }) => ({ html: body(ELEMENT + tag(other)) }),
    finds: ['fail', /loads the bar from .*, which is not known as this service/],
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
    name: 'with a sheet that hides the bar',
    page: ({ here }) => ({
      html: body(ELEMENT + tag(here), '<link rel="stylesheet" href="/site.css">'),
      files: { '/site.css': '@layer a { p { color: red } placard-link { display: none } }' },
    }),
    finds: ['fail', /A sheet of .* hides the bar: placard-link \{ display: none \}/],
  },
  {
    name: 'with an element that hides itself',
    page: ({ here }) => ({
      html: body(`<placard-link style="display:none"></placard-link>${tag(here)}`),
    }),
    finds: ['fail', /hides itself/],
  },
  {
    name: 'with an element in what is hidden',
    page: ({ here }) => ({
      html: body(`<p><div class="x" hidden><p>${ELEMENT}</div>${tag(here)}`),
    }),
    finds: ['warn', /in what is hidden, unless a script shows it: <div class="x" hidden>/],
  },
  {
    name: 'with a tag that waits for consent',
    page: ({ here }) => ({ html: body(ELEMENT + tag(here, 'type="text/plain"')) }),
    finds: ['warn', /waits for a consent tool/],
  },
  {
    name: 'with a tag whose place is missing',
    page: ({ here }) => ({
      html: body(`<div id="bottom"></div>${tag(here, 'data-target="#top"')}`),
    }),
    finds: ['warn', /wants to be in #top/],
  },
  {
    name: 'with a tag whose proxy does not pass the script on',
    page: async ({ here }) => {
      const proxy = await front({
        own: (path) => (path === '/embed.js' ? { status: 404, body: '' } : undefined),
      })
      proxy.target = here
      return { html: body(ELEMENT + tag(proxy.url)) }
    },
    finds: ['fail', /does not come: status 404/],
  },
  {
    name: 'with a tag whose cache is behind',
    page: async ({ here }) => {
      const old = '<div data-state="x.y"></div>'
      const proxy = await front({
        own: (path) => (path.startsWith('/embed.html') ? { body: old } : undefined),
      })
      proxy.target = here
      return { html: body(ELEMENT + tag(proxy.url)) }
    },
    finds: ['fail', /A cache is behind: .*\/embed\.html/],
  },
  {
    name: 'with a bar that was rendered before the last change',
    page: () => ({ html: body(bar('Of yesterday')) }),
    finds: ['fail', /rendered before the last change: it says “Of yesterday”/],
  },
  {
    name: 'that does not come in time',
    page: () => ({ html: '', never: 'starts' }),
    finds: ['fail', /gives no answer in \d\.\d s$/],
  },
  {
    name: 'that never ends, without the tag in what came',
    page: () => ({ html: body('<h1>Shop</h1>'), never: 'ends' }),
    finds: ['warn', /^There is no tag, .* in the first \d\.\d s of .* The rest was not read$/],
  },
  {
    name: 'that never ends, with the tag of another service',
    page: ({ other }) => ({ html: body(ELEMENT + tag(other)), never: 'ends' }),
    finds: ['fail', /loads the bar from .*, which is not known as this service/],
  },
  {
    name: 'with the tag behind the first 4 MiB',
    page: ({ here }) => ({ html: body(`${'<p>A shop</p>'.repeat(400_000)}${tag(here)}`) }),
    finds: ['warn', /^There is no tag, .* in the first 4 MiB of .* The rest was not read$/],
  },
  {
    name: 'with a policy that lets no script run',
    page: ({ here }) => ({
      html: body(ELEMENT + tag(here)),
      headers: { 'Content-Security-Policy': 'sandbox allow-forms' },
    }),
    finds: ['fail', /Content-Security-Policy .* lets no script run \(sandbox\)/],
  },
  {
    name: 'with a sheet that hides the bar where a browser can do what all can',
    page: ({ here }) => ({
      html: body(
        ELEMENT + tag(here),
        '<style>@supports (display: grid) { placard-link { display: none } }</style>',
      ),
    }),
    finds: ['fail', /A sheet of .* hides the bar: placard-link \{ display: none \}/],
  },
]
