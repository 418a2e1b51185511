import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { PlacardBar } from '../bar/placard-bar.ts'
import { chooseView } from '../bar/view.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Locale, Locales } from './locales.ts'

interface FragmentInput {
  snapshot: Snapshot
  locale: Locale
  dismissible: boolean
  /** Chooses among the translations of the announcement (contract A15). */
  language: string
}

/** What `text` and link of a bar are replaced in. */
const BLANK = { text: 'Text', type: 'post', slug: '/' } as const

/**
 * The bar alone, for the embedded element, with the state that it shows. When it has nothing to show, it holds a bar for
 * the element to fill in.
 */
export function renderFragment(input: FragmentInput & { fallback: Locale['fallback'] }): string {
  const { snapshot, locale, dismissible, language, fallback } = input
  const bar = { locale: locale.tag, language, dismissible }
  return renderToStaticMarkup(
    <div lang={locale.tag} dir={locale.dir} data-state={state(snapshot)}>
      {chooseView(snapshot.event, fallback, language) ? (
        <PlacardBar event={snapshot.event} fallback={fallback} {...bar} />
      ) : (
        <template>
          <PlacardBar fallback={BLANK} {...bar} />
        </template>
      )}
    </div>,
  )
}

/** The ETag of `GET /api/events` without its quotes. Scripts compare it with the one that the stream names. */
function state(snapshot: Snapshot): string {
  return snapshot.etag.replaceAll('"', '')
}

/** The page at `/`, for visitors: the bar, and whose page it is. */
export function renderPage(input: FragmentInput & { locales: Locales }): string {
  const { snapshot, locale, locales, dismissible, language } = input
  const { page } = locale
  return `<!doctype html>${renderToStaticMarkup(
    <html lang={locale.tag} dir={locale.dir}>
      {/* biome-ignore lint/style/noHeadElement: this is not a page of Next's */}
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={page.description} />
        <title>{page.title}</title>
        <link rel="icon" href={FAVICON} />
        <link rel="stylesheet" href="/page.css" />
        <link rel="stylesheet" href="/placard.css" />
        <script src="/page.js" defer />
      </head>
      <body data-state={state(snapshot)}>
        <header data-part="line">
          <PlacardBar
            event={snapshot.event}
            fallback={locale.fallback}
            locale={locale.tag}
            language={language}
            dismissible={dismissible}
          />
        </header>
        <main>
          <h1>{page.heading}</h1>
          <p>{page.lead}</p>
        </main>
        <footer>
          <a className="mark" href={`?lang=${locale.tag}`}>
            <span className="mark-sign" aria-hidden="true" />
            {page.title}
          </a>
          {locales.all.size > 1 && <Languages locale={locale} locales={locales} />}
        </footer>
        <div className="placard-hint" role="status" />
      </body>
    </html>,
  )}`
}

function Languages({ locale, locales }: { locale: Locale; locales: Locales }): ReactElement {
  return (
    <nav aria-label={locale.page.languages}>
      {[...locales.all.values()].map(({ tag, name }) => (
        <a
          key={tag}
          href={`?lang=${tag}`}
          lang={tag}
          hrefLang={tag}
          aria-current={tag === locale.tag ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}

const FAVICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='5' width='14' height='6' rx='3' fill='%236366f1'/%3E%3C/svg%3E"
