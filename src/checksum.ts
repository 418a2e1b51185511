/**
 * FNV-1a over UTF-16 units, in seven letters and digits: tells two texts apart that nobody made collide. Web
 * Crypto's digests would do it in another thread, which costs a write a third of its time.
 */
export function checksum(text: string, seed = 0x811c9dc5): string {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36).padStart(7, '0')
}
