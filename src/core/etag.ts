/** The suffixes that compressing proxies append to an ETag: `"x-gzip"`, `"x;gzip"`, `"x--gzip"`. Ours is `-gz`. */
const SUFFIX = /(?:(?:-{1,2}|;)(?:x-)?(?:gz|gzip|br|brotli|zstd|deflate|compress|bzip2|dcb|dcz))+$/i

/**
 * Returns the part of an ETag that identifies a state, without `W/`, the quotes, and the suffix that a proxy appends if
 * it compresses the response. Compare two ETags by their bare forms, because our own may end in such a suffix too.
 */
export function bareTag(etag: string): string {
  const [, quoted] = /^(?:W\/)?"(.*)"$/s.exec(etag.trim()) ?? []
  return (quoted ?? etag.trim()).replace(SUFFIX, '')
}
