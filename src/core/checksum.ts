import { singleSpaced } from './rules.ts'

/**
 * Hashes UTF-16 code units with FNV-1a, to seven base-36 digits. A collision is unlikely unless somebody constructs
 * one. With Web Crypto, which computes digests in another thread, a write would take 50% longer.
 */
export function checksum(text: string, seed = 0x811c9dc5): string {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36).padStart(7, '0')
}

/** Returns a short key for a text's words, however they are spaced. 64 bits are enough to tell texts apart. */
export function textKey(text: string): string {
  const plain = singleSpaced(text)
  return checksum(plain) + checksum(plain, 0x9dc5811c)
}
