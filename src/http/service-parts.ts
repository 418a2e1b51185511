import type { Commands } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Showing } from '../showing/showing.ts'
import type { Store } from '../store/store.ts'
import type { CouponWatcher } from '../stripe/coupon-watcher.ts'
import type { Sender } from './client-address.ts'
import type { Documents } from './documents.ts'
import type { Guard } from './guard.ts'
import type { Share } from './share.ts'
import type { Site } from './site.ts'
import type { Streams } from './stream.ts'

/** Facts about the host, for `placard doctor` (contract R12). */
export interface HostFacts {
  /** The version of Node. */
  node?: string | undefined
  /** `PUBLIC_URL`: the address at which people reach the service; `null` if it isn't set. */
  publicUrl?: string | null | undefined
  /** The cache that the service purges, if any. `failure` says why the last purge failed, if it did. */
  purge?: { failure?: string | undefined } | undefined
  /** `MAX_STREAMS` as configured. The open-file limit may allow fewer streams. */
  wanted?: number | undefined
  /** How many files the process may open; absent if unlimited or unknown. */
  fileLimit?: number | undefined
}

/** The parts of a service that its routes, the admin and the server use. */
export interface ServiceParts {
  store: Store
  showing: Showing
  commands: Commands
  streams: Streams
  guard: Guard
  share: Share
  webhooks: {
    receive(request: Request): Promise<Response>
    mismatches(): number
    connected(): number
  }
  /** Asks Stripe about coupons. `undefined` without a Stripe key. */
  couponWatcher?: CouponWatcher | undefined
  /** Whether the service accepts notifications, which requires a signing secret. */
  notifications: boolean
  /** How many trusted proxies are in front of the service (contract A2). */
  trustProxy: number
  /** Returns the client address under which the limiter counts a request (contract A2). */
  addressOf(from: Sender): string
  /** The id that tells services apart, so that a command doesn't send a secret to the wrong service. */
  serviceId?: string | undefined
  /** Returns the host's metrics in the Prometheus text format. Without this function, `/metrics` returns 404. */
  metrics?: (() => Promise<string>) | undefined
  host?: (() => HostFacts) | undefined
  site: Site | undefined
  /** The documents that show the current announcement, by path. */
  documents: Documents
  /** Returns whether there is an icon with this name (contract A16). Never rejects. */
  knowsIcon(name: string): Promise<boolean>
  /** Removes secrets from text. */
  redact(text: string): string
  clock: Clock
  log: Log
}
