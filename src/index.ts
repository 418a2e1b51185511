export { createPlacard } from './placard.ts'
export { Problem } from './problem.ts'
export type * from './public-types.ts'
export { StoreUnavailable } from './store/store.ts'
