import * as z from 'zod'

/** Milliseconds since 1970, as a string of digits. */
const instant = z.string().regex(/^\d+$/)
const number = z.number().optional()
const text = z.string().optional()
const boolean = z.boolean().optional()

const Answer = z.object({
  result: z.enum(['answered', 'denied', 'limited', 'failed']),
  /** The reason why there was no answer. */
  reason: text,
  /**
   * The HTTP status, if Stripe responded: 401 for a rejected key, 403 for a missing permission, 429 for too many
   * requests; any other status is a fault at Stripe.
   */
  status: number,
})

const Stored = z.object({
  event: z.unknown(),
  state: z.string(),
  /** The last assigned timestamp. */
  last: instant,
})

const Database = z.object({
  kind: z.enum(['sqlite', 'postgres']),
  /** The path of SQLite's file, unless the database is in memory. */
  file: text,
  /** The free space on the disk that holds the database file, in bytes. */
  freeBytes: number,
  /** SQLite's `journal_mode`, such as `wal`. */
  journalMode: text,
  /** SQLite's `synchronous`; 2 is `FULL`. */
  synchronous: number,
  /** Postgres's `server_version_num`, such as 180004. */
  version: number,
  /** Whether the service reaches Postgres through a pooler or proxy. */
  pooled: boolean,
  /** Whether Postgres rejects writes, as a replica does. */
  readOnly: boolean,
  /** How many ms our clock is ahead of the database's; 0 if the query's duration could explain the difference. */
  aheadMs: number,
  /** The reason why the database couldn't be reached, or why a test write (which changes nothing) failed. */
  error: text,
})

const Streams = z.object({
  open: z.number(),
  max: z.number(),
  /** `MAX_STREAMS` as configured. The open-file limit may allow fewer streams. */
  wanted: number,
  fileLimit: number,
})

/** With `?stripe`: Stripe's answers, and how far our clock is ahead of Stripe's. */
const Stripe = z.object({
  coupons: Answer.optional(),
  events: Answer.optional(),
  /** Present only if the published coupon names a promotion code. */
  codes: Answer.optional(),
  /** Names a coupon or a notification that this key can't retrieve. */
  unknown: text,
  aheadMs: number,
})

/**
 * The body of `GET /api/doctor` (contract R12): facts, which `placard doctor` judges. Many fields are optional,
 * because older services don't report them.
 */
export const Facts = z.object({
  now: instant.describe("The time by the service's clock: milliseconds since 1970."),
  stored: Stored.optional().describe(
    'The live announcement, read from the database for this response; `state` is its ETag without quotes.',
  ),
  database: Database.describe('The state of the database.'),
  /** If true, the node may answer reads from memory (contract R3). */
  hearing: z.boolean().describe('Whether other nodes notify this node of changes.'),
  /** If false, the process can't listen for changes, and has no stream (contract N2). */
  background: boolean.describe('Whether the process stays active between requests.'),
  streams: Streams.describe('The number of open streams, and the limits on it.'),
  trustProxy: z.number().describe('How many proxies the service trusts (`TRUST_PROXY`).'),
  notifications: z.boolean().describe("Whether the service accepts Stripe's notifications."),
  mismatches: number.describe(
    'How many notifications were rejected, for a wrong signature or for lack of a signing secret, since the service last accepted one from Stripe.',
  ),
  connected: number.describe(
    'How many notifications from connected accounts the service has ignored since it started.',
  ),
  stripe: Stripe.nullable().describe('With `?stripe`, how Stripe responded; null without a key.'),
  page: z.boolean().describe('Whether there is a page at `/`.'),
  node: text.describe('The version of Node.'),
  publicUrl: text
    .nullable()
    .describe('The address at which people reach the service (`PUBLIC_URL`).'),
  purge: z
    .object({ failure: text })
    .optional()
    .describe('Present if `PURGE` is set. `failure` says why the last purge failed, if it did.'),
})

/** Facts about a service, for `placard doctor` (contract R12). The OpenAPI document describes them. */
export type Facts = z.infer<typeof Facts>
