export * from '../next/next.ts'
export type * from './public-types.ts'
