import { suites } from './vitest.config.ts'

/** `npm run proofs node-24`: a browser is the same on every Node, so what needs one isn't run again. */
export default suites(['test/browser/**'])
