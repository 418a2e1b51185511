export type { PlacardBarProps } from '../bar/markup.ts'
export { placardHtml } from '../bar/placard-html.ts'
export { dismissScript, endScript } from '../bar/scripts.ts'
export type { BarContent } from '../bar/view.ts'
