export { dismissScript, endScript, type PlacardBarProps } from './bar/markup.ts'
export { PlacardBar } from './bar/placard-bar.ts'
export type { BarContent } from './bar/view.ts'
