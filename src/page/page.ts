import { barMarkup, element, type Markup, type PlacardBarProps } from '../bar/markup.ts'
import { toHtml } from '../bar/placard-html.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Locale, Locales } from './locales.ts'

interface FragmentInput {
  snapshot: Snapshot
  locale: Locale
  /** Chooses among the translations of the announcement (contract A15). */
  language: string
}

/** The placeholder content of an empty bar. */
const BLANK = { text: 'Text', type: 'post', slug: '/' } as const

/**
 * The bar alone, for the embedded element, with its state. Without an announcement, it is an empty bar for the element to
 * fill in. The element removes the button if readers can't dismiss the bar.
 *
 * @param styles as an attribute, because a page's policy may refuse a style element
 */
export function fragmentOf(
  input: FragmentInput & { fallback: Locale['fallback'] },
  styles?: string,
): Markup {
  const { snapshot, locale, fallback } = input
  const { tag: lang, dir } = locale
  const attributes = { lang, dir, 'data-state': state(snapshot), 'data-styles': styles }
  // The element's script does the work of the bar's own scripts, which wouldn't find the bar in a shadow root.
  const alone = (event: PlacardBarProps['event'], fallback: PlacardBarProps['fallback']) =>
    barOf({ ...input, dismissible: true }, event, fallback).filter(({ tag }) => tag !== 'script')
  const [bar] = alone(snapshot.event, fallback)
  const blank = () => {
    const [{ tag, attributes, children }] = alone(null, BLANK) as [Markup]
    return element(tag, { ...attributes, hidden: '' }, ...children)
  }
  return element('div', attributes, bar ?? blank())
}

function barOf(
  { locale, language, dismissible }: FragmentInput & { dismissible: boolean },
  event: PlacardBarProps['event'],
  fallback: PlacardBarProps['fallback'],
): Markup[] {
  const { tag, bar: labels } = locale
  return barMarkup({ event, fallback, locale: tag, language, dismissible, labels }, true)
}

/** The ETag of `GET /api/events` without its quotes. Scripts compare it with the state that the stream names. */
function state(snapshot: Snapshot): string {
  return snapshot.etag.replaceAll('"', '')
}

/**
 * The page at `/`, for visitors: the bar, and the site's name. It is made without React, which takes longer to load than
 * everything else in the first answer.
 */
export function renderPage(
  input: FragmentInput & { dismissible: boolean; locales: Locales },
): string {
  const { snapshot, locale, locales } = input
  const { page, tag, dir } = locale
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { name: 'color-scheme', content: 'light dark' }),
    element('meta', { name: 'description', content: page.description }),
    element('title', {}, page.title),
    element('link', { rel: 'icon', href: FAVICON }),
    element('link', { rel: 'stylesheet', href: '/page.css' }),
    element('link', { rel: 'stylesheet', href: '/placard.css' }),
    element('script', { src: '/page.js', defer: '' }),
    // Otherwise a busy browser would paint half of the page first, and the rest would move it.
    element('link', { rel: 'expect', href: '#whole', blocking: 'render' }),
  )
  const mark = element('span', { class: 'mark-sign', 'aria-hidden': 'true' })
  const body = element(
    'body',
    { 'data-state': state(snapshot) },
    element('header', { 'data-part': 'line' }, ...barOf(input, snapshot.event, locale.fallback)),
    element('main', {}, element('h1', {}, page.heading), element('p', {}, page.lead)),
    element(
      'footer',
      {},
      element('a', { class: 'mark', href: `?lang=${tag}` }, mark, page.title),
      ...(locales.all.size > 1 ? [languages(locale, locales)] : []),
    ),
    element('div', { id: 'whole', class: 'placard-hint', role: 'status' }),
  )
  return `<!doctype html>${toHtml(element('html', { lang: tag, dir }, head, body))}`
}

function languages(locale: Locale, locales: Locales): Markup {
  const links = [...locales.all.values()].map(({ tag, name }) => {
    const current = tag === locale.tag ? 'page' : undefined
    const attributes = { href: `?lang=${tag}`, lang: tag, hreflang: tag, 'aria-current': current }
    return element('a', attributes, name)
  })
  return element('nav', { 'aria-label': locale.page.languages }, ...links)
}

const FAVICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='5' width='14' height='6' rx='3' fill='%236366f1'/%3E%3C/svg%3E"
