export { dismissScript, endScript, type PlacardBarProps } from './bar/markup.ts'
export { placardHtml } from './bar/placard-html.ts'
export type { BarContent } from './bar/view.ts'
