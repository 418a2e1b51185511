import { suites } from './vitest.config.ts'

/** `npm run proofs node-24`: runs all tests but those in a browser, which is the same with every Node. */
export default suites(['test/browser/**'])
