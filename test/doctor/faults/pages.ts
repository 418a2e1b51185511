import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { PlacardBar } from '../../../src/bar/placard-bar.tsx'

/** The response to a request for a page. */
export interface Page {
  html: string
  /** Which part of the response never comes. */
  never?: 'starts' | 'ends'
  status?: number
  headers?: Record<string, string>
}

export const ELEMENT =
  '<style>placard-link:not([hidden]) { display: block; min-height: 3.25rem }</style><placard-link></placard-link>'
export const tag = (origin: string, more = '') =>
  `<script src="${origin}/embed.js" async ${more}></script>`
export const body = (html: string, head = '') =>
  `<!doctype html><html><head>${head}</head><body>${html}</body></html>`
export const bar = (text: string) =>
  renderToStaticMarkup(createElement(PlacardBar, { event: { text, type: 'product', slug: '/' } }))
export const strict = (origin: string) =>
  `default-src 'self'; script-src ${origin}; connect-src ${origin}`
export const under = (policy: string) => ({ 'Content-Security-Policy': policy })
/** A page whose script tag has an attribute that keeps browsers from running it. */
const idle = (attribute: string): Wrong => [
  (here) => withBar(here, attribute),
  new RegExp(`^fail .* has ${attribute}, so the script can't run`),
]
/** A page whose script tag waits for a consent tool to start it. */
const waiting = (attributes: string, has: string, source = 'src'): Record<string, Wrong> => ({
  [`with a tag that waits for consent: ${attributes} ${source}`]: [
    (here) => withBar(here, attributes).replace(' src=', ` ${source}=`),
    new RegExp(`^warn .* has ${has}, so it waits for another script`),
  ],
})
const withBar = (origin: string, more = '', head = '') => body(ELEMENT + tag(origin, more), head)

/** A page that should have the bar of the first of two services, and the finding for it: its status and message. */
type Wrong = [page: (here: string, other: string) => Page | string, said: RegExp]

export const PAGES: Record<string, Wrong> = {
  'without the tag': [
    (here) => body(`<h1>Shop</h1><!-- ${tag(here)} -->`),
    /^fail Placard's script tag is not in the HTML of \S+$/,
  ],
  'without the tag, but with a script that may add it': [
    () => body('<script>load("/embed.js")</script>'),
    /^warn Placard's script tag is not in/,
  ],
  "that doesn't exist": [() => ({ html: '', status: 404 }), /^fail .* returned 404 \(text\/html/],
  'with the tag of another service': [
    (_, other) => withBar(other),
    /^fail .* loads the bar from .*, which is not an address of this service/,
  ],
  'with a tag whose address has the wrong port': [
    () => withBar('http://127.0.0.1:9'),
    /^warn .* loads http:\/\/127\.0\.0\.1:9\/embed\.js, and .* can't be reached: /,
  ],
  'with a policy that forbids the script': [
    (here) => ({ html: withBar(here), headers: under("default-src 'self'") }),
    /^fail .*Content-Security-Policy .* forbids .*\/embed\.js \(default-src\)/,
  ],
  'with a policy that requires a nonce, which the tag lacks': [
    (here) => {
      const headers = under(`script-src 'strict-dynamic' 'nonce-abc' ${here}`)
      return { html: withBar(here), headers }
    },
    /^fail .* forbids .*\/embed\.js \(script-src\)/,
  ],
  'with a policy that forbids the stream': [
    (here) => {
      const policy = `http-equiv="Content-Security-Policy" content="connect-src 'self' https:"`
      return withBar(here, '', `<meta ${policy}>`)
    },
    /^fail .* forbids .*\/embed\.json \(connect-src\)/,
  ],
  'with an element that HTML never closes': [
    (here) => body(`<placard-link data-base="/a>b" />${tag(here)}`),
    /^warn .* has <placard-link \/>/,
  ],
  "with a tag whose type isn't that of a script": idle('type="application/json"'),
  'with a tag for browsers without modules': idle('nomodule'),
  ...waiting('type="text/plain" data-cookieconsent="marketing"', 'type="text/plain"'),
  ...waiting('type="text/plain" class="optanon-category-C0004"', 'type="text/plain"'),
  ...waiting('type="1a2b-text/javascript"', 'type="1a2b-text/javascript"'),
  ...waiting('type="text/plain" data-type="text/javascript"', 'no src', 'data-src'),
  ...waiting('type="text/plain" class="_iub_cs_activate"', 'no src', 'data-suppressedsrc'),
  "that doesn't arrive in time": [
    () => ({ html: '', never: 'starts' }),
    /^fail .* gave no answer in \d\.\d s$/,
  ],
  'that never ends, without the tag so far': [
    () => ({ html: body('<h1>Shop</h1>'), never: 'ends' }),
    /^warn Placard's script tag is not in the HTML of .* arrived in time$/,
  ],
  'with the tag after the first 4 MiB': [
    (here) => body(`${'<p>A shop</p>'.repeat(400_000)}${tag(here)}`),
    /^warn Placard's script tag is not in the HTML of .* arrived in time$/,
  ],
}
