/** Returns a key's value, and creates the value on first use. */
export function memoize<Key, Value>(
  all: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = all.get(key)
  if (known !== undefined) return known
  const made = make()
  all.set(key, made)
  return made
}

/**
 * Creates a function that runs a loader on its first call and shares the result with all callers. After a failure, the
 * next call tries again, because a process that had too many files open may be able to load a file a moment later.
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
