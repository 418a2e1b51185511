import { attributesOf, Html, html } from './html.ts'
import { barOf, type LabelledProps, type PlacardBarProps, scriptsOf } from './markup.ts'

/**
 * The bar of spec 2, display rules 1 to 8, as a string of HTML: the output of `<PlacardBar>`, without React. Its look and
 * motion are in `placard/placard.css`. If there is nothing to show, the function returns only the requested scripts.
 *
 * Call it on a server, because this module includes the icon set, which a browser shouldn't load.
 */
export function placardHtml(props: PlacardBarProps): string {
  const nonce = attributesOf({ nonce: props.nonce })
  const scripts = scriptsOf(props).map((one) => html`<script${nonce}>${new Html(one)}</script>`)
  return String(html`${barHtml(props)}${scripts}`)
}

/** Renders the bar without its scripts. */
export function barHtml(props: LabelledProps, more: object = {}): Html | undefined {
  const bar = barOf(props)
  if (!bar) return undefined
  return html`<div class="placard"${attributesOf({ ...bar.attributes, ...more })}>${bar.inside}</div>`
}
