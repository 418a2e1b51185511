import { attributesOf, type Html, html } from '../bar/html.ts'
import { barHtml } from '../bar/markup.ts'
import { type BarContent, languageFor } from '../bar/view.ts'
import { directionOf } from '../core/language.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Locale, Locales } from './locales.ts'

export interface FragmentInput {
  snapshot: Snapshot
  locale: Locale
  /** The tag that chooses among the translations of the announcement (contract A15). */
  language: string
}

/** The placeholder content of an empty bar. */
const BLANK = { text: 'Text', type: 'post', slug: '/' }

/**
 * Renders only the bar, with its state, for the embedded element. Without an announcement, the bar is a hidden
 * placeholder for the element to fill in. The element removes the dismiss button if readers can't dismiss the bar, and
 * does the work of the bar's own scripts, which wouldn't find the bar in a shadow root.
 *
 * @param styles CSS, put into an attribute because a page's Content-Security-Policy may block a style element
 */
export function fragmentOf(
  input: FragmentInput & { fallback: BarContent | null },
  styles?: string,
): Html {
  const { snapshot, fallback } = input
  const content = snapshot.event ?? fallback
  const chosen = content && languageFor(content, input.language)
  const props = { ...propsOf(input), fallback, dismissible: true }
  const bar = barHtml(props) ?? barHtml({ ...props, event: BLANK }, { hidden: '' })
  // The text's direction decides where its arrow goes. Text in no known language is laid out as the page around it is.
  const dir = chosen ? directionOf(chosen) : undefined
  const attributes = { dir, 'data-state': state(snapshot), 'data-styles': styles }
  return html`<div${attributesOf(attributes)}>${bar}</div>`
}

const propsOf = ({ snapshot: { event }, locale, language }: FragmentInput) => ({
  event,
  fallback: locale.fallback,
  locale: locale.tag,
  labels: locale.bar,
  language,
})

/** The ETag of `GET /api/events` without its quotes. Scripts compare it with the ETag in the stream's messages. */
function state(snapshot: Snapshot): string {
  return snapshot.etag.replaceAll('"', '')
}

/**
 * The page at `/`, for visitors: the bar, a heading, a sentence and a footer. It is rendered without React, which would
 * take longer to load than everything else that the first response needs.
 */
export function renderPage(input: FragmentInput & { locales: Locales }): string {
  const { snapshot, locale, locales } = input
  const { page, tag, dir } = locale
  const languages = [...locales.all.values()].map(({ tag, name }) => {
    const current = attributesOf({ 'aria-current': tag === locale.tag ? 'page' : undefined })
    return html`<a href="?lang=${tag}" lang="${tag}" hreflang="${tag}"${current}>${name}</a>`
  })
  const nav = html`<nav aria-label="${page.languages}">${languages}</nav>`
  // `rel="expect"` delays painting. Otherwise, a busy browser would paint half of the page, and then shift it.
  const document = html`
    <html lang="${tag}" dir="${dir}">
      <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <meta name="description" content="${page.description}"/>
        <title>${page.title}</title>
        <link rel="icon" href="${FAVICON}"/>
        <link rel="stylesheet" href="/page.css"/>
        <link rel="stylesheet" href="/placard.css"/>
        <script src="/page.js" defer></script>
        <link rel="expect" href="#whole" blocking="render"/>
      </head>
      <body data-state="${state(snapshot)}">
        <header data-part="line">${barHtml(propsOf(input))}</header>
        <main><h1>${page.heading}</h1><p>${page.lead}</p></main>
        <footer>
          <a class="mark" href="?lang=${tag}">
            <span class="mark-sign" aria-hidden="true"></span>${page.title}
          </a>
          ${locales.all.size > 1 ? nav : undefined}
        </footer>
        <div id="whole" class="placard-hint" role="status"></div>
      </body>
    </html>`
  return `<!doctype html>${document}`
}

const FAVICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='5' width='14' height='6' rx='3' fill='%236366f1'/%3E%3C/svg%3E"
