import type { InvalidationHook } from './commands.ts'
import type { Clock } from './core/clock.ts'
import type { Log } from './core/log.ts'
import type { HostFacts } from './http/service-parts.ts'
import type { Site } from './http/site.ts'
import type { Store } from './store/store.ts'

/** The options of `createPlacard`. Only `store` and `apiSecret` are required. */
export interface PlacardOptions {
  /** The store for announcements, for example `sqliteStore('data/placard.db')`. */
  store: Store
  /**
   * `EVENT_API_SECRET`: the bearer token for writes and guarded reads, at least 16 characters (contract A4). To rotate
   * the secret, pass several, separated by commas; all of them are valid.
   */
  apiSecret: string | undefined
  /** `STRIPE_WEBHOOK_SECRET`: signing secrets, separated by commas. Without a secret, notifications get 503 (W1). */
  stripeWebhookSecret?: string | undefined
  /**
   * `STRIPE_API_KEY` and `STRIPE_API_URL`: a key that may read coupons, events and, to use `placard_code` (T7),
   * promotion codes. With a key, the service shows no offer that the checkout would refuse (T2 to T4).
   */
  stripe?: { apiKey: string | undefined; apiUrl?: string | undefined } | undefined
  /** How many trusted proxies are in front of the service (contract A2). Default 0: `X-Forwarded-For` is ignored. */
  trustProxy?: number | undefined
  /** How many streams may be open at the same time (contract R4). Default 10,000. */
  maxStreams?: number | undefined
  /** Called with the tag `'event'` after each write, start or end. The response to a write waits for the hook (W7). */
  onChange?: InvalidationHook | undefined
  /**
   * How long a shared cache that `onChange` purges may keep the response to a read, in seconds (contract R13). Default
   * 0: the cache revalidates the response each time.
   */
  sharedMaxAge?: number | undefined
  /** Returns the body of `GET /metrics`, a route that requires the API secret. Default: no such route. */
  metrics?: (() => Promise<string>) | undefined
  /** The `id` in `GET /healthz`, which tells services apart. Default: no `id`. */
  serviceId?: string | undefined
  /** Returns facts about the host for `GET /api/doctor` (contract R12). */
  host?: (() => HostFacts) | undefined
  /** The pages that the service serves besides the API. Default: none. */
  site?: Site | undefined
  /** Returns whether there is an icon with this name, for warnings (contract A16). Default: every name passes. */
  knowsIcon?: ((name: string) => boolean | Promise<boolean>) | undefined
  /** The log, for details that clients must not see. Default: none. */
  log?: Log | undefined
  /** Default: the system clock. */
  clock?: Clock | undefined
}
