/** Far more than a page of events has. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

/** What answers may be something else than Stripe, so an answer may have no end. */
export async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return new Blob(chunks).text()
}

/** Stripe's word for why, in the body of a refusal. */
export function codeIn(body: string): unknown {
  try {
    return JSON.parse(body).error.code
  } catch {
    return undefined
  }
}
