const ofFile: (() => unknown)[] = []
const ofTest: (() => unknown)[] = []

/**
 * Does this after the test file, in reverse order. A worker loads a module once for all of its files, so an `afterAll` that
 * a helper registers when it is loaded would run only after the first file.
 */
export function afterFile(cleanup: () => unknown): void {
  ofFile.push(cleanup)
}

/** Does this after the test, even if it fails. */
export function afterTest(cleanup: () => unknown): void {
  ofTest.push(cleanup)
}

/** Runs what was registered. */
export const cleanUpFile = () => empty(ofFile)
export const cleanUpTest = () => empty(ofTest)

async function empty(cleanups: (() => unknown)[]): Promise<void> {
  for (let next = cleanups.pop(); next; next = cleanups.pop()) await next()
}
