/**
 * Runs a loader on the first call and shares its outcome with all callers. After a failure, the next call tries again,
 * because a process at its limit of open files may be able to load the file a moment later.
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
