import { raw } from 'hono/html'
import type { PlacardBarProps } from '../../bar/markup.ts'
import { placardHtml } from '../../bar/placard-html.ts'

/** The bar itself, as visitors see it. */
export const Bar = (props: PlacardBarProps) => raw(placardHtml(props))
