import { barMarkup, type Markup, type PlacardBarProps } from './markup.ts'

/**
 * The bar of spec 2, display rules 1 to 8, as a string of HTML: what `<PlacardBar>` renders, without React. Its look and
 * motion are in `placard/placard.css`. If there is nothing to show, it has only the scripts that were asked for.
 *
 * Call it on a server, because it brings the icon set along, which a browser shouldn't load.
 */
export function placardHtml(props: PlacardBarProps): string {
  return barMarkup(props).map(toHtml).join('')
}

/** What has no end, of the elements that are made here. */
const VOID = ['input', 'link', 'meta']

export function toHtml(one: Markup | string): string {
  if (typeof one === 'string') return escaped(one)
  const { tag, attributes, children, inside } = one
  // `null` too, as React does: a header that isn't there gives a `nonce` of `null`.
  const given = Object.entries(attributes).flatMap(([name, value]) =>
    (value ?? null) === null ? [] : ` ${name}="${escaped(String(value))}"`,
  )
  const start = `<${tag}${given.join('')}`
  if (VOID.includes(tag)) return `${start}/>`
  return `${start}>${inside ?? children.map(toHtml).join('')}</${tag}>`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

/** For text and for quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
