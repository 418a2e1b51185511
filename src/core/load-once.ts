/**
 * Runs something with the first call, and gives its outcome to all. After a failure the next call tries again: where a
 * program has as many files open as it may, a moment later it may load one.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}
