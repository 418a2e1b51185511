import { ANNOUNCEMENT_TYPES, type Selector, type WireAnnouncement } from './announcement.ts'
import { ask, type Fields } from './ask.ts'

export { ClientError } from './ask.ts'

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

export interface Client {
  /** What is showing now, or `null` (spec 4.2). */
  current(): Promise<WireAnnouncement | null>
  /** Puts an announcement up; resolves with its id (spec 4.1). */
  publish(input: PublishInput): Promise<{ id: string; message: string }>
  /** Takes announcements down; resolves with how many (spec 4.3). */
  withdraw(selector: Selector): Promise<{ deleted: number; message: string }>
}

/**
 * A client of the HTTP API. Every method rejects with {@link ClientError} and nothing else, also when the
 * answer isn't what this API promises. A write follows no redirect.
 */
export function createClient({ url, secret, fetch = globalThis.fetch }: ClientOptions): Client {
  const endpoint = `${url.replace(/\/+$/, '')}/api/events`

  const written = (method: string, body: object): RequestInit => ({
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify(body),
  })

  return {
    current: () =>
      ask(fetch, endpoint, {}, ({ event }) =>
        event === null || isAnnouncement(event) ? event : undefined,
      ),
    publish: (input) =>
      ask(fetch, endpoint, written('POST', input), ({ message, ok }, { status, headers }) => {
        const id = headers.get('Placard-Event-Id')
        const done = status === 201 && ok === true && id && typeof message === 'string'
        return done ? { id, message } : undefined
      }),
    withdraw: (selector) =>
      ask(fetch, endpoint, written('DELETE', selector), ({ message, ok, deleted }, { status }) => {
        const done = status === 200 && ok === true && typeof message === 'string'
        return done && Number.isInteger(deleted) ? { deleted: Number(deleted), message } : undefined
      }),
  }
}

/** Whether it has the fields of contract R1, each of its kind. */
function isAnnouncement(value: unknown): value is WireAnnouncement {
  const { id, text, type, slug, timestamp, icon = '', expiresAt = '0' } = (value ?? {}) as Fields
  return (
    [id, text, slug, icon].every((field) => typeof field === 'string') &&
    ANNOUNCEMENT_TYPES.some((known) => known === type) &&
    [timestamp, expiresAt].every(isInstant)
  )
}

/** Digits, for an instant that a `Date` can hold. */
function isInstant(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value) && Number(value) <= 8.64e15
}
