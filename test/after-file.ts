const cleanups: (() => unknown)[] = []

/**
 * Does this after the test file, the last first. A worker loads a module once for all of its files, so an `afterAll` that a
 * helper registers as it is loaded would run after the first of them alone.
 */
export function afterFile(cleanup: () => unknown): void {
  cleanups.push(cleanup)
}

/** Does what was asked for. */
export async function cleanUp(): Promise<void> {
  for (let next = cleanups.pop(); next; next = cleanups.pop()) await next()
}
