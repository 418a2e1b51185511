import type { ReactElement, ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { ANNOUNCEMENT_TYPES } from '../announcement.ts'
import { PlacardBar } from '../bar/placard-bar.tsx'
import { chooseView } from '../bar/view.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { Code } from './code.tsx'
import type { Locale, Locales } from './locales.ts'
import { Now } from './now.tsx'

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

/** The public page at `/`. */
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
      <body>
        <header className="top">
          <a className="mark" href={`?lang=${locale.tag}`}>
            <span className="mark-sign" aria-hidden="true" />
            Placard
          </a>
          <nav aria-label={page.languages}>
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
        </header>
        <main data-state={state(snapshot)}>
          <div className="lead">
            <div className="place" data-part="line">
              <PlacardBar
                event={snapshot.event}
                fallback={locale.fallback}
                locale={locale.tag}
                language={language}
                dismissible={dismissible}
              />
            </div>
            <h1>{page.heading}</h1>
            <p>{page.lead}</p>
          </div>
          <Section title={page.now.title}>
            <div data-part="now">
              <Now snapshot={snapshot} locale={locale} />
            </div>
          </Section>
          <Change locale={locale} />
          <Section title={page.embed.title} note={page.embed.note}>
            <Code locale={locale}>
              {
                '<placard-link style="display: block; min-height: 3.25rem"></placard-link>\n<script src="'
              }
              <Origin />
              {'/embed.js" async></script>'}
            </Code>
          </Section>
          <Gallery locale={locale} />
        </main>
        <footer>
          <a href="/api/events">GET /api/events</a>
          <a href="/api/events/stream">GET /api/events/stream</a>
        </footer>
        <div className="placard-hint" role="status" />
      </body>
    </html>,
  )}`
}

function Section(props: {
  title: string
  note?: string
  id?: string
  children: ReactNode
}): ReactElement {
  return (
    <section id={props.id}>
      <h2>{props.title}</h2>
      <div className="body">
        {props.note && <p className="note">{props.note}</p>}
        {props.children}
      </div>
    </section>
  )
}

function Change({ locale }: { locale: Locale }): ReactElement {
  const { change } = locale.page
  return (
    <Section id="change" title={change.title}>
      <h3>{change.http}</h3>
      <p className="note">{change.httpNote}</p>
      <Code locale={locale}>
        {'curl '}
        <Origin />
        {`/api/events \\
  -H "Authorization: Bearer $EVENT_API_SECRET" \\
  -H "Content-Type: application/json" \\
  -d '{"text":"We wrote about caching","type":"post","slug":"/blog/caching"}'`}
      </Code>
      <h3>{change.cli}</h3>
      <p className="note">{change.cliNote}</p>
      <Code locale={locale}>
        {'npx placard publish "We wrote about caching" --slug /blog/caching'}
      </Code>
      <Code locale={locale}>
        {'npx placard simulate coupon.created --name "Black Friday" --percent-off 25'}
      </Code>
      <h3 id="coupon">{change.stripe}</h3>
      <p className="note">{change.stripeNote}</p>
      <Code locale={locale}>isFeatured=true</Code>
    </Section>
  )
}

function Gallery({ locale }: { locale: Locale }): ReactElement {
  const { gallery, types } = locale.page
  const icons = { coupon: 'ticket-percent', post: 'newspaper', product: null }
  return (
    <Section id="gallery" title={gallery.title}>
      <div className="gallery">
        {(['light', 'dark'] as const).map((theme) => (
          <figure key={theme} data-theme={theme}>
            <figcaption>{gallery[theme]}</figcaption>
            {ANNOUNCEMENT_TYPES.toReversed().map((type) => (
              <div key={type} className="sample">
                <span>{types[type]}</span>
                <PlacardBar
                  event={{ text: gallery.samples[type], type, slug: '#gallery', icon: icons[type] }}
                  locale={locale.tag}
                />
              </div>
            ))}
          </figure>
        ))}
      </div>
    </Section>
  )
}

/** The page's script puts its own address here, because a cached page can't know how it was reached. */
function Origin(): ReactElement {
  return <span data-origin="">http://localhost:3000</span>
}

const FAVICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='5' width='14' height='6' rx='3' fill='%236366f1'/%3E%3C/svg%3E"
