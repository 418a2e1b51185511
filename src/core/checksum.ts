/**
 * FNV-1a over UTF-16 code units, as seven base-36 digits. It tells texts apart, except where somebody constructs a
 * collision. Web Crypto computes digests in another thread, which would make a write take half as long again.
 */
export function checksum(text: string, seed = 0x811c9dc5): string {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36).padStart(7, '0')
}
