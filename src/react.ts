export { dismissScript, PlacardBar, type PlacardBarProps } from './bar/placard-bar.tsx'
export type { BarContent } from './bar/view.ts'
