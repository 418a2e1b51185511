import { createElement, Fragment, type ReactElement } from 'react'
import { barMarkup, type Markup, type PlacardBarProps } from './markup.ts'

/**
 * The bar of spec 2, display rules 1 to 8. Its look and motion are in `placard/placard.css`. It needs no script in the
 * browser.
 *
 * Render it on a server, because it includes the icon set, which a browser shouldn't load.
 */
export function PlacardBar(props: PlacardBarProps): ReactElement | null {
  const elements = barMarkup(props).map(toReact)
  return elements.length > 0 ? createElement(Fragment, null, ...elements) : null
}

function toReact({ tag, attributes, children, inside, key }: Markup): ReactElement {
  const named = Object.entries(attributes).map(([name, value]) => [propertyOf(name), value])
  const properties = {
    ...Object.fromEntries(named),
    // Their scripts may have hidden the bar before React hydrates it.
    ...(key !== undefined && { key, suppressHydrationWarning: true }),
    ...(inside !== undefined && { dangerouslySetInnerHTML: { __html: inside } }),
  }
  const inner = children.map((one) => (typeof one === 'string' ? one : toReact(one)))
  return createElement(tag, properties, ...inner)
}

/** React's name for an attribute. */
function propertyOf(name: string): string {
  if (name === 'class') return 'className'
  if (/^(aria|data)-/.test(name)) return name
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
