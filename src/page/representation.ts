import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { ReadAnswer } from '../http/reading.ts'

/** A finished document, in every form in which it may be asked for. */
export interface Representation {
  /** The finished answer for what a request says that it takes and has. Cost: two looks at its headers. */
  answer(acceptEncoding: string | null, ifNoneMatch: string | null): ReadAnswer
}

/** Accepts gzip, and doesn't give it a weight of zero. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

export function represent(
  document: string | Uint8Array,
  headers: Record<string, string>,
): Representation {
  const body = Uint8Array.from(Buffer.from(document))
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  // Strong tags name bytes: two encodings, two tags (RFC 9110, 8.8.3.3).
  const plain = answers(body, { ...headers, ETag: `"${tag}"` })
  const zipped = answers(Uint8Array.from(gzipSync(body)), {
    ...headers,
    ETag: `"${tag}-gz"`,
    'Content-Encoding': 'gzip',
  })
  return {
    answer(acceptEncoding, ifNoneMatch) {
      const { full, unchanged } = GZIP.test(acceptEncoding ?? '') ? zipped : plain
      // Either encoding's tag, also one that a proxy has made weak.
      return ifNoneMatch?.includes(tag) ? unchanged : full
    },
  }
}

function answers(body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
  const { 'Content-Encoding': _, ...unchanged } = headers
  return {
    full: {
      status: 200,
      headers: { ...headers, 'Content-Length': String(body.byteLength) },
      body,
    },
    unchanged: { status: 304, headers: unchanged, body: null },
  } satisfies Record<string, ReadAnswer>
}
