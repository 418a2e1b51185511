import { barMarkup, type Markup, type PlacardBarProps } from './markup.ts'

/**
 * The bar of spec 2, display rules 1 to 8, as a string of HTML: the output of `<PlacardBar>`, without React. Its look and
 * motion are in `placard/placard.css`. If there is nothing to show, it has only the requested scripts.
 *
 * Call it on a server, because it includes the icon set, which a browser shouldn't load.
 */
export function placardHtml(props: PlacardBarProps): string {
  return barMarkup(props).map(toHtml).join('')
}

/** The void elements among those made here. */
const VOID = ['input', 'link', 'meta']

export function toHtml(one: Markup | string): string {
  if (typeof one === 'string') return escaped(one)
  const { tag, attributes, children, inside } = one
  // Also `null`, as in React, because a missing header gives a `nonce` of `null`.
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

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
