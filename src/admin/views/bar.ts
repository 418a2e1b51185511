import { raw } from 'hono/html'
import type { PlacardBarProps } from '../../bar/markup.ts'
import { barHtml } from '../../bar/placard-html.ts'

/** The bar as visitors see it. The policy of the page allows none of its scripts. */
export const Bar = (props: PlacardBarProps) => raw(barHtml(props) ?? '')
