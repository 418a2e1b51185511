/** @jsxImportSource react */
import type { ReactElement } from 'react'
import { allPrinted } from './html.ts'
import { barOf, type PlacardBarProps, scriptsOf } from './markup.ts'

/**
 * The bar of spec 2, display rules 1 to 8. Its look and motion are in `placard/placard.css`. The bar needs no script in
 * the browser.
 *
 * Render it on a server, because this module includes the icon set, which a browser shouldn't load.
 */
export function PlacardBar(props: PlacardBarProps): ReactElement | null {
  const bar = barOf(props)
  const scripts = scriptsOf(props)
  if (!bar && scripts.length === 0) return null
  return (
    <>
      {scripts.map((script) => (
        <script nonce={props.nonce} {...containing(script)} key={script} />
      ))}
      {bar && (
        <div
          className="placard"
          {...bar.attributes}
          {...containing(allPrinted(bar.inside))}
          key={bar.key}
        />
      )}
    </>
  )
}

/** Suppresses React's hydration warning, because a script may have hidden the bar before React hydrates it. */
const containing = (inside: object | string) => ({
  dangerouslySetInnerHTML: { __html: String(inside) },
  suppressHydrationWarning: true,
})
