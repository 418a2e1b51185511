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
 * The answer of `GET /api/doctor` (contract R12). It states facts, which `placard doctor` judges. Many are optional,
 * because an older service doesn't have them.
 */
export const Facts = z.object({
  now: instant.describe('The time by the clock of the service: milliseconds since 1970.'),
  stored: z
    .object({ event: z.unknown(), state: z.string(), last: instant })
    .optional()
    .describe(
      'What shows, read from the database for this answer; `state` is its ETag without quotes.',
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
      /** Whether a pooler or proxy answers for Postgres. */
      pooled: z.boolean().optional(),
      readOnly: z.boolean().optional(),
      /** Whether the last write was committed. */
      writable: z.boolean().optional(),
      /** How far our clock is ahead of the database's; 0 within the time of the question. */
      aheadMs: z.number().optional(),
      /** The driver's error in a transaction that changes a row and restores it. */
      error: z.string().optional(),
    })
    .describe('The state of the database.'),
  /** If so, memory may be served (contract R3). */
  hearing: z.boolean().describe('Whether the service hears of changes by others.'),
  /** If not, nothing listens and there is no stream (contract N2). */
  background: z
    .boolean()
    .optional()
    .describe('Whether the process does anything between two requests.'),
  streams: z
    .object({
      open: z.number(),
      max: z.number(),
      /** `MAX_STREAMS` as set. The limit of open files may allow fewer. */
      wanted: z.number().optional(),
      fileLimit: z.number().optional(),
    })
    .describe('How many pages are open, and how many may be.'),
  proxy: z
    .object({
      trusted: z.number(),
      all: z.number(),
      forwarded: z.number(),
      /** How many entries the request with the mark had. */
      probe: z.number().optional(),
    })
    .describe('`TRUST_PROXY`, and how many requests of all came with X-Forwarded-For.'),
  notifications: z.boolean().describe('Whether the service accepts notifications.'),
  mismatches: z
    .number()
    .optional()
    .describe(
      'How many notifications were refused for their signature, or for want of a secret, since the last accepted one.',
    ),
  /** Only with `?stripe`: Stripe's answers, and how far our clock is ahead of Stripe's. */
  stripe: z
    .object({
      coupons: Answer.optional(),
      events: Answer.optional(),
      /** Only if the published coupon names a promotion code. */
      codes: Answer.optional(),
      /** A coupon or event from Stripe that the key doesn't know. */
      unknown: z.string().optional(),
      aheadMs: z.number().optional(),
    })
    .nullable()
    .describe("Stripe's answers to the key, or null without a key."),
  page: z.boolean().describe('Whether there is a page at `/`.'),
  node: z.string().optional().describe('The version of Node.'),
  publicUrl: z
    .string()
    .nullable()
    .optional()
    .describe('The address at which people reach the service (`PUBLIC_URL`).'),
  purge: z
    .object({ failure: z.string().optional() })
    .optional()
    .describe('The cache in front, and why its last purge failed, if it did.'),
})

export type Facts = z.infer<typeof Facts>
