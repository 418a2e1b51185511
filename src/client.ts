import type { Selector, WireAnnouncement, WireBody } from './announcement.ts'

export interface ClientOptions {
  /** Where the service is: `https://example.com`, or with a path in front of `/api`. */
  url: string
  /** `EVENT_API_SECRET`; reading needs none. Never give it to a browser. */
  secret?: string | undefined
  /** Default: the global one. */
  fetch?: typeof fetch | undefined
}

/** As in the body of `POST /api/events` (spec 4.1, contract A6 to A9). */
export interface PublishInput {
  text: string
  type: WireAnnouncement['type']
  slug: string
  icon?: string | null | undefined
  /** RFC 3339 with an offset, or milliseconds since 1970. */
  expiresAt?: string | number | undefined
}

/** The body of an error, as far as it is one (contract R6, A11, A1). */
interface Refusal {
  error?: string
  issues?: { path: string; message: string }[]
  retryAfter?: number
}

/** What the service answered when it was not what was asked for, or that it didn't answer. */
export class ClientError extends Error {
  /** The response's status; 0 when there was none. */
  readonly status: number
  /** What is wrong with the body, field by field (contract A11). */
  readonly issues: { path: string; message: string }[]
  /** Seconds to wait before the next request (contract A1). */
  readonly retryAfter: number | undefined

  constructor(message: string, status: number, body: Refusal = {}, cause?: unknown) {
    super(message, { cause })
    this.name = 'ClientError'
    this.status = status
    this.issues = body.issues ?? []
    this.retryAfter = body.retryAfter
  }
}

export interface Client {
  /** What is showing now, or `null` (spec 4.2). */
  current(): Promise<WireAnnouncement | null>
  /** Puts an announcement up; resolves with its id (spec 4.1). */
  publish(input: PublishInput): Promise<{ id: string; message: string }>
  /** Takes announcements down; resolves with how many (spec 4.3). */
  withdraw(selector: Selector): Promise<{ deleted: number; message: string }>
}

/** A client of the HTTP API. Every method rejects with {@link ClientError} and nothing else. */
export function createClient({ url, secret, fetch = globalThis.fetch }: ClientOptions): Client {
  const endpoint = `${url.replace(/\/+$/, '')}/api/events`

  async function request<T>(method: string, body?: object): Promise<{ answer: T; id: string }> {
    let response: Response
    let answer: (T & Refusal) | undefined
    try {
      response = await fetch(endpoint, {
        method,
        ...(body && {
          headers: {
            'Content-Type': 'application/json',
            ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
          },
          body: JSON.stringify(body),
        }),
      })
      answer = await response.json().catch(() => undefined)
    } catch (cause) {
      throw new ClientError(`Nothing answers at ${endpoint}`, 0, {}, cause)
    }
    const { status } = response
    if (!response.ok) {
      throw new ClientError(answer?.error ?? `${endpoint} answered ${status}`, status, answer)
    }
    if (answer === undefined)
      throw new ClientError(`${endpoint} answered, but it isn't Placard`, status)
    return { answer, id: response.headers.get('Placard-Event-Id') ?? '' }
  }

  return {
    async current() {
      const { answer } = await request<WireBody>('GET')
      return answer.event
    },
    async publish(input) {
      const { answer, id } = await request<{ message: string }>('POST', input)
      return { id, message: answer.message }
    },
    async withdraw(selector) {
      const { answer } = await request<{ deleted: number; message: string }>('DELETE', selector)
      return { deleted: answer.deleted, message: answer.message }
    },
  }
}
