export type { PlacardBarProps } from '../bar/markup.ts'
export { PlacardBar } from '../bar/placard-bar.tsx'
export { dismissScript, endScript } from '../bar/scripts.ts'
export type { BarContent } from '../bar/view.ts'
