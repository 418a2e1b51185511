const ofFile: (() => unknown)[] = []
const ofTest: (() => unknown)[] = []

/**
 * Does this after the test file, the last first. A worker loads a module once for all of its files, so an `afterAll` that a
 * helper registers as it is loaded would run after the first of them alone.
 */
export function afterFile(cleanup: () => unknown): void {
  ofFile.push(cleanup)
}

/** Does this after the test, also after one that fails. */
export function afterTest(cleanup: () => unknown): void {
  ofTest.push(cleanup)
}

/** Does what was asked for. */
export const cleanUpFile = () => empty(ofFile)
export const cleanUpTest = () => empty(ofTest)

async function empty(cleanups: (() => unknown)[]): Promise<void> {
  for (let next = cleanups.pop(); next; next = cleanups.pop()) await next()
}
