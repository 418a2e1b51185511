export { type PlacardBarProps, placardHtml } from '../bar/markup.ts'
export { dismissScript, endScript } from '../bar/scripts.ts'
export type { BarContent } from '../bar/view.ts'
