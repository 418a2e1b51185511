import { raw } from 'hono/html'
import { barMarkup, type PlacardBarProps } from '../../bar/markup.ts'
import { toHtml } from '../../bar/placard-html.ts'

/** The bar as visitors see it. The policy of the page allows none of its scripts. */
export const Bar = (props: PlacardBarProps) =>
  raw(
    barMarkup(props)
      .filter(({ tag }) => tag !== 'script')
      .map(toHtml)
      .join(''),
  )
