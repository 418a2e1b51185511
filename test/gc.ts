import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects what nothing holds any more, at once. */
export const collectGarbage: () => void = runInNewContext('gc')
