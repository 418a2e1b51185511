import * as z from 'zod'
import type { Issue } from '../core/problem.ts'

/** The service rejected a request, sent an unexpected response, or didn't respond. */
export class ClientError extends Error {
  /** The status of the response; 0 if there was no response. */
  readonly status: number
  /** The faults in the request's body, field by field (contract A11). */
  readonly issues: Issue[]
  /** Seconds to wait before the next request (contract A1). */
  readonly retryAfter: number | undefined
  /** Why the request was rejected, as a code such as `coupon_used_up` (contract R9). */
  readonly reason: string | undefined

  constructor(
    message: string,
    status: number,
    body: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, { cause })
    this.name = 'ClientError'
    this.status = status
    this.issues = Array.isArray(body.issues)
      ? body.issues.filter((one) => issue.safeParse(one).success)
      : []
    this.retryAfter = typeof body.retryAfter === 'number' ? body.retryAfter : undefined
    this.reason = typeof body.reason === 'string' ? body.reason : undefined
  }
}

/** The fields of a response's body, which the service or a proxy in front of it sent. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Sends a request to a service. Rejects unless the response is a success that the API promises.
 *
 * @param read returns the value that a 2xx response must contain, or `undefined` if the response lacks it
 * @throws ClientError and nothing else
 */
export async function send<T>(
  fetch: typeof globalThis.fetch,
  endpoint: string,
  init: RequestInit,
  read: (body: Fields, response: Response) => T | undefined,
): Promise<T> {
  let response: Response
  let text: string
  try {
    // Following a redirect can turn a POST into a GET, which succeeds but writes nothing.
    const redirect = init.body === undefined ? 'follow' : 'manual'
    response = await fetch(endpoint, { ...init, redirect })
    text = await response.text()
  } catch (cause) {
    throw new ClientError(`Nothing answers at ${endpoint}`, 0, {}, cause)
  }
  const { status } = response
  const body = jsonFields(text)
  if (response.ok) {
    const promised = read(body, response)
    if (promised !== undefined) return promised
    throw new ClientError(`${endpoint} gave an unexpected response (${status})`, status)
  }
  const to = response.headers.get('Location')
  if (to !== null && status < 400) {
    const place = URL.canParse(to, endpoint) ? new URL(to, endpoint).href : to
    throw new ClientError(
      `${endpoint} redirects to ${place}; writes don't follow redirects, so nothing was written`,
      status,
    )
  }
  const { error } = body
  const message = typeof error === 'string' ? error : `${endpoint} answered ${status}`
  throw new ClientError(message, status, body)
}

/** Parses a JSON object. Returns no fields if the text is anything else. */
export function jsonFields(text: string): Fields {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const issue = z.object({ path: z.string(), code: z.string(), message: z.string() })
