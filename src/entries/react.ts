export type { PlacardBarProps } from '../bar/markup.ts'
export { PlacardBar } from '../bar/placard-bar.ts'
export { dismissScript, endScript } from '../bar/scripts.ts'
export type { BarContent } from '../bar/view.ts'
