/**
 * Calls what a host has given. What that throws, at once or from a promise, goes to `failed` and no further: uncaught,
 * it would fail the write that it was told of, or end the process.
 */
export function callBack(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = work()
    if (result instanceof Promise) result.catch(failed)
  } catch (error) {
    failed(error)
  }
}
