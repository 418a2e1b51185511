import { z } from 'zod'

/** Milliseconds since 1970. */
const instant = z.string().regex(/^\d+$/)

const Answer = z.object({
  result: z.enum(['answered', 'denied', 'limited', 'failed']),
  /** Why there was no answer. */
  reason: z.string().optional(),
  /** The status of the refusal: 401 for the key, 403 for this right. */
  status: z.number().optional(),
})

/**
 * What a service says of itself with its secret: `GET /api/doctor` (contract R12). It states facts, and
 * `placard doctor` judges them. An older service says less, so much of it is optional.
 */
export const Facts = z.object({
  now: instant.describe('By the clock of the service: milliseconds since 1970.'),
  stored: z
    .object({ event: z.unknown(), state: z.string(), last: instant })
    .optional()
    .describe(
      'What shows by the database, read for this answer; `state` is its ETag without quotes.',
    ),
  database: z
    .object({
      kind: z.enum(['sqlite', 'postgres']).optional(),
      file: z.string().optional(),
      /** Free on the disk of the file. */
      freeBytes: z.number().optional(),
      journalMode: z.string().optional(),
      synchronous: z.number().optional(),
      /** As in `server_version_num`: 180004. */
      version: z.number().optional(),
      /** Whether something between us and Postgres answers in its name. */
      pooled: z.boolean().optional(),
      readOnly: z.boolean().optional(),
      /** Whether the last write was committed. */
      writable: z.boolean().optional(),
      /** How far our clock is ahead of the database's; 0 within the time that it took to ask. */
      aheadMs: z.number().optional(),
      /** What the driver says of a transaction that changes a row and puts it back. */
      error: z.string().optional(),
    })
    .describe('What can be seen of the database.'),
  /** If so, memory may be served (contract R3). */
  hearing: z.boolean().describe('Whether it hears of changes by others.'),
  /** If not, nothing listens and there is no stream (contract N2). */
  background: z.boolean().optional().describe('Whether it does anything between two requests.'),
  streams: z
    .object({
      open: z.number(),
      max: z.number(),
      /** `MAX_STREAMS`, as it was set. The limit of open files may allow fewer. */
      wanted: z.number().optional(),
      fileLimit: z.number().optional(),
    })
    .describe('Open pages, and how many there may be.'),
  /** With X-Forwarded-For, and without; `enough` has an entry for each trusted proxy. */
  forwarded: z
    .object({
      trusted: z.number(),
      local: z.number(),
      direct: z.number(),
      some: z.number(),
      enough: z.number(),
      /** How many entries the request had that was asked for. */
      probe: z.number().optional(),
    })
    .describe('How many requests came through proxies, and how.'),
  notifications: z.boolean().describe('Whether it takes notifications.'),
  mismatches: z
    .number()
    .optional()
    .describe(
      'How many were signed with another secret, or met none, since the last one that was taken.',
    ),
  /** With `?stripe`, it has what Stripe says, and how far our clock is ahead of Stripe's. */
  stripe: z
    .object({
      coupons: Answer.optional(),
      events: Answer.optional(),
      /** Only if the coupon that stands names a promotion code. */
      codes: Answer.optional(),
      /** What came from Stripe, and the key doesn't know. */
      unknown: z.string().optional(),
      aheadMs: z.number().optional(),
    })
    .nullable()
    .describe('What Stripe answers to the key, or null if there is no key.'),
  page: z.boolean().describe('Whether there is a page at `/`.'),
  node: z.string().optional().describe('The version of Node.'),
  publicUrl: z.string().nullable().optional().describe('How people reach it, by `PUBLIC_URL`.'),
  purge: z
    .object({ failure: z.string().optional() })
    .optional()
    .describe('The cache in front, and why its last purge failed, if it did.'),
})

export type Facts = z.infer<typeof Facts>
