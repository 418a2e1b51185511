import type * as z from 'zod'
import type { DraftInput, Selector, WireAnnouncement, WireScheduled } from '../core/announcement.ts'
import { Deleted, History, Saved, Schedule, Showing, Slots, Undone } from '../core/bodies.ts'
import type { WireHistoryEntry } from '../core/history.ts'
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

/** The options of {@link createClient}. */
export interface ClientOptions {
  /** The address of the service, such as `https://example.com`, including any path before `/api`. */
  url: string
  /** The value of `EVENT_API_SECRET`. Only `current` works without it. Never send the secret to a browser. */
  secret?: string | undefined
  /** The author's name, for the history: at most 64 printable characters (contract R8). */
  actor?: string | undefined
  /** The function that sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Extra headers for each request, for example for a proxy in front of the service. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** The result of `publish` and `edit`. */
export interface PublishResult {
  /** The id of the announcement. */
  id: string
  /** The API's sentence about what it did. */
  message: string
  /** Reasons why the announcement may not work as intended (contract A16). */
  warnings: Issue[]
}

/** The condition of a write. */
export interface WriteOptions {
  /** The ETag from `GET /api/events`: if that ETag has changed, the write is rejected with 412 (contract A17). */
  ifMatch?: string | undefined
}

/** A client for the HTTP API: what {@link createClient} returns. */
export type Client = ReturnType<typeof createClient>

/**
 * Creates a client for the HTTP API. Its methods reject only with {@link ClientError}, even if a response isn't what
 * the API promises. Writes don't follow redirects.
 */
export function createClient(options: ClientOptions) {
  const { url, secret, actor, fetch = globalThis.fetch } = options
  const endpoint = `${url.replace(/\/+$/, '')}/api/events`
  const headers = {
    ...options.headers,
    ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
    ...(actor !== undefined && { 'Placard-Actor': encodeURIComponent(actor) }),
  }

  const read = <T>(path: string, promised: z.ZodType<T>, init: RequestInit = { headers }) =>
    send(fetch, endpoint + path, init, as(promised))

  const written = (method: string, body: object, { ifMatch }: WriteOptions = {}): RequestInit => ({
    method,
    headers: {
      'Content-Type': 'application/json',
      ...headers,
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    body: JSON.stringify(body),
  })

  return {
    /** The live announcement, or `null` (spec 4.2). */
    async current(): Promise<WireAnnouncement | null> {
      return (await read('', Showing, { headers: options.headers ?? {} })).event
    },

    /** Publishes an announcement, or schedules it (spec 4.1, contract A14). */
    publish: (input: DraftInput, options?: WriteOptions) =>
      send(fetch, endpoint, written('POST', input, options), saved(201)),

    /**
     * Replaces a published or a scheduled announcement in place (contract A18).
     *
     * @param options `ifMatch` also accepts an `etag` from `slots` or `scheduled`
     */
    edit(id: string, input: DraftInput, options?: WriteOptions) {
      const path = `/${encodeURIComponent(id)}`
      return send(fetch, endpoint + path, written('PUT', input, options), saved(200))
    },

    /** Takes announcements down. @returns `deleted`, the number taken down, and the API's `message` (spec 4.3) */
    async withdraw(selector: Selector, options?: WriteOptions) {
      const { deleted, message } = await read('', Deleted, written('DELETE', selector, options))
      return { deleted, message }
    },

    /** The event of each type, newest first. The first event that isn't paused is live (contract R7). */
    slots: async (): Promise<WireAnnouncement[]> => (await read('/slots', Slots)).events,

    /** The scheduled announcements, soonest first (contract R7). */
    scheduled: async (): Promise<WireScheduled[]> => (await read('/scheduled', Schedule)).events,

    /** The announcement that will be live at an instant, if there is no write before then (contract R7). */
    at: async (instant: string | number): Promise<WireAnnouncement | null> =>
      (await read(`/scheduled?at=${encodeURIComponent(instant)}`, Showing)).event,

    /** A page of the history, newest entries first. Pass its `next` as `before` to get the next page (contract R8). */
    history(
      page: { limit?: number | undefined; before?: string | undefined } = {},
    ): Promise<{ entries: WireHistoryEntry[]; next: string | null }> {
      const given = Object.entries(page).filter(([, value]) => value !== undefined)
      return read(`/history?${new URLSearchParams(given as string[][])}`, History)
    },

    /** Undoes an entry, or the last undoable one that isn't an undo. @returns the undo's `entry` and `message` (R9) */
    async undo(id?: string) {
      const { entry, message } = await read('/undo', Undone, written('POST', { id }))
      return { entry, message }
    },
  }
}

/** Checks a response's body and returns it unchanged, so that fields from a newer version of the service are kept. */
const as =
  <T>(promised: z.ZodType<T>, status = 200) =>
  (body: Fields, response: Response): T | undefined =>
    response.status === status && promised.safeParse(body).success ? (body as T) : undefined

const saved =
  (status: number) =>
  (body: Fields, response: Response): PublishResult | undefined => {
    const { headers } = response
    const id = headers.get('Placard-Event-Id')
    const done = id && as(Saved, status)(body, response)
    return done ? { id, message: done.message, warnings: warningsIn(headers) } : undefined
  }

const WARNING = /"((?:[^"\\]|\\.)*)";code=(\w+);path=([\w.-]+)/g

/** Parses the warnings in `Placard-Warning`, a list of strings with parameters (RFC 9651). */
function warningsIn(headers: Headers): Issue[] {
  const list = headers.get('Placard-Warning') ?? ''
  return Array.from(list.matchAll(WARNING), ([, quoted = '', code = '', path = '']) => ({
    path,
    code,
    message: quoted.replace(/\\(.)/g, '$1'),
  }))
}
