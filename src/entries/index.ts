export { Problem, StoreUnavailable } from '../core/problem.ts'
export { createPlacard } from '../placard.ts'
export type * from './public-types.ts'
