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

/** What the service answered when it was not what was asked for, or that it didn't answer. */
export class ClientError extends Error {
  /** The response's status; 0 when there was none. */
  readonly status: number
  /** What is wrong with the body, field by field (contract A11). */
  readonly issues: { path: string; message: string }[]
  /** Seconds to wait before the next request (contract A1). */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    status: number,
    body: { issues?: ClientError['issues']; retryAfter?: number } = {},
    cause?: unknown,
  ) {
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

  async function request(method: string, body?: object): Promise<Response> {
    let response: Response
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
    } catch (cause) {
      throw new ClientError(`Nothing answers at ${endpoint}`, 0, {}, cause)
    }
    if (response.ok) return response
    const problem = await response.json().catch(() => ({}))
    const message = problem.error ?? `${endpoint} answered ${response.status}`
    throw new ClientError(message, response.status, problem)
  }

  return {
    async current() {
      const response = await request('GET')
      const { event } = (await response.json()) as WireBody
      return event
    },
    async publish(input) {
      const response = await request('POST', input)
      const { message } = await response.json()
      return { id: response.headers.get('Placard-Event-Id') ?? '', message }
    },
    async withdraw(selector) {
      const response = await request('DELETE', selector)
      const { deleted, message } = await response.json()
      return { deleted, message }
    },
  }
}
