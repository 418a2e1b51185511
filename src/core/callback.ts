/**
 * Calls a function of the host's. Its errors, thrown or rejected, go to `failed` and no further. Uncaught, they would
 * fail the write that called it, or end the process.
 */
export function callBack(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = work()
    if (result instanceof Promise) result.catch(failed)
  } catch (error) {
    failed(error)
  }
}
