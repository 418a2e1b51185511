import { attributesOf, html, printed } from '../bar/html.ts'
import type { Bars } from '../http/site.ts'
import type { Locale, Locales } from './locales.ts'

/**
 * The page at `/`, for visitors: the bar, a heading, a sentence and a footer. It is rendered without React, which would
 * take longer to load than everything else that the first response needs.
 *
 * @param state the ETag of `GET /api/events` without its quotes, for `placard doctor`
 */
export function renderPage(bars: Bars, state: string, locale: Locale, locales: Locales): string {
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
      <body data-state="${state}">
        <header data-part="line" data-id="${bars.id}">${printed(bars.in(tag).tree)}</header>
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
