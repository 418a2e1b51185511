import {
  type DraftInput,
  owned,
  type Selector,
  scheduled,
  type WireAnnouncement,
  type WireScheduled,
} from '../core/announcement.ts'
import { historyEntry, type WireHistoryEntry } from '../core/history.ts'
import type { Issue } from '../core/problem.ts'
import { type Fields, send } from './send.ts'

export type {
  By,
  DraftInput,
  Selector,
  WireAnnouncement,
  WireScheduled,
} from '../core/announcement.ts'
export type { AnnouncementType } from '../core/fields.ts'
export type { HistoryAction, WireHistoryEntry } from '../core/history.ts'
export type { Issue } from '../core/problem.ts'
export { ClientError } from './send.ts'

export interface ClientOptions {
  /** The address of the service: `https://example.com`, or with a path in front of `/api`. */
  url: string
  /** `EVENT_API_SECRET`. Reading what shows needs none. Never give it to a browser. */
  secret?: string | undefined
  /** Who writes, for the history: at most 64 printable characters (contract R8). */
  actor?: string | undefined
  /** Default: the global one. */
  fetch?: typeof fetch | undefined
  /** More headers for each request. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** The result of a publication. */
export interface PublishResult {
  id: string
  message: string
  /** What will probably not work as intended (contract A16). */
  warnings: Issue[]
}

export interface WriteOptions {
  /** The ETag from `GET /api/events`: the write is refused with 412 if something else shows (contract A17). */
  ifMatch?: string | undefined
}

export interface Client {
  /** The announcement that shows now, or `null` (spec 4.2). */
  current(): Promise<WireAnnouncement | null>
  /** Publishes an announcement, or schedules it (spec 4.1, contract A14). */
  publish(input: DraftInput, options?: WriteOptions): Promise<PublishResult>
  /**
   * Replaces a published or a scheduled announcement in its place (contract A18).
   *
   * @param options `ifMatch` also takes the `etag` from {@link slots} and {@link scheduled}
   */
  edit(id: string, input: DraftInput, options?: WriteOptions): Promise<PublishResult>
  /** Takes announcements down. @returns how many (spec 4.3) */
  withdraw(
    selector: Selector,
    options?: WriteOptions,
  ): Promise<{ deleted: number; message: string }>
  /** The event of each type, newest first: the first shows (contract R7). */
  slots(): Promise<WireAnnouncement[]>
  /** The scheduled announcements, soonest first (contract R7). */
  scheduled(): Promise<WireScheduled[]>
  /** What will show at an instant, by what is known now (contract R7). */
  at(instant: string | number): Promise<WireAnnouncement | null>
  /** History entries, the newest first. Pass `next` to continue where a page ends (contract R8). */
  history(page?: {
    limit?: number | undefined
    before?: string | undefined
  }): Promise<{ entries: WireHistoryEntry[]; next: string | null }>
  /** Undoes an entry, or the last one that is not an undo. @returns the entry that records it (contract R9) */
  undo(id?: string): Promise<{ entry: string; message: string }>
}

/**
 * A client of the HTTP API. Every method rejects with {@link ClientError} and nothing else, even if the answer isn't
 * what the API promises. A write follows no redirect.
 */
export function createClient(options: ClientOptions): Client {
  const { url, secret, actor, fetch = globalThis.fetch } = options
  const endpoint = `${url.replace(/\/+$/, '')}/api/events`
  const headers = {
    ...options.headers,
    ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
    ...(actor !== undefined && { 'Placard-Actor': encodeURIComponent(actor) }),
  }

  const written = (method: string, body: object, { ifMatch }: WriteOptions = {}): RequestInit => ({
    method,
    headers: {
      'Content-Type': 'application/json',
      ...headers,
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    body: JSON.stringify(body),
  })

  const list = <T>(path: string, isOne: (value: unknown) => boolean) =>
    send(fetch, `${endpoint}${path}`, { headers }, ({ events }) =>
      Array.isArray(events) && events.every(isOne) ? (events as T[]) : undefined,
    )

  return {
    current: () => send(fetch, endpoint, {}, eventIn),
    publish: (input, options) =>
      send(fetch, endpoint, written('POST', input, options), resultWith(201)),
    edit: (id, input, options) =>
      send(
        fetch,
        `${endpoint}/${encodeURIComponent(id)}`,
        written('PUT', input, options),
        resultWith(200),
      ),
    withdraw: (selector, options) =>
      send(
        fetch,
        endpoint,
        written('DELETE', selector, options),
        ({ message, ok, deleted }, { status }) => {
          const done = status === 200 && ok === true && typeof message === 'string'
          return done && Number.isInteger(deleted)
            ? { deleted: Number(deleted), message }
            : undefined
        },
      ),
    slots: () => list('/slots', isAnnouncement),
    scheduled: () => list('/scheduled', isScheduled),
    at: (instant) =>
      send(fetch, `${endpoint}/scheduled?at=${encodeURIComponent(instant)}`, { headers }, eventIn),
    history: ({ limit, before } = {}) => {
      const query = new URLSearchParams()
      if (limit !== undefined) query.set('limit', String(limit))
      if (before !== undefined) query.set('before', before)
      return send(fetch, `${endpoint}/history?${query}`, { headers }, ({ entries, next }) =>
        Array.isArray(entries) && entries.every(isEntry) && (next === null || isDigits(next))
          ? { entries, next: next as string | null }
          : undefined,
      )
    },
    undo: (id) =>
      send(
        fetch,
        `${endpoint}/undo`,
        written('POST', id === undefined ? {} : { id }),
        ({ message, ok, entry }, { status }) =>
          status === 200 && ok === true && typeof message === 'string' && isDigits(entry)
            ? { entry: String(entry), message }
            : undefined,
      ),
  }
}

function eventIn({ event }: Fields): WireAnnouncement | null | undefined {
  return event === null || isAnnouncement(event) ? event : undefined
}

const resultWith =
  (promised: number) =>
  ({ message, ok }: Fields, { status, headers }: Response): PublishResult | undefined => {
    const id = headers.get('Placard-Event-Id')
    const done = status === promised && ok === true && id && typeof message === 'string'
    return done ? { id, message, warnings: warningsIn(headers) } : undefined
  }

const WARNING = /"((?:[^"\\]|\\.)*)";code=(\w+);path=(\w+)/g

/** A list of strings with parameters (RFC 9651). */
function warningsIn(headers: Headers): Issue[] {
  const list = headers.get('Placard-Warning') ?? ''
  return Array.from(list.matchAll(WARNING), ([, quoted = '', code = '', path = '']) => ({
    path,
    code,
    message: quoted.replace(/\\(.)/g, '$1'),
  }))
}

const isAnnouncement = (value: unknown): value is WireAnnouncement => owned.safeParse(value).success

const isScheduled = (value: unknown): value is WireScheduled => scheduled.safeParse(value).success

const isEntry = (value: unknown): value is WireHistoryEntry => historyEntry.safeParse(value).success

function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value)
}
