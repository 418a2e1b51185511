import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Runs the garbage collector now. */
export const collectGarbage: () => void = runInNewContext('gc')
