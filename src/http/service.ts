import type { Commands } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Store } from '../store/store.ts'
import type { Asking } from '../stripe/asking.ts'
import type { Resource } from './answer.ts'
import type { Arrivals } from './arrivals.ts'
import type { Facts } from './facts.ts'
import type { Guard } from './guard.ts'
import type { Share } from './share.ts'
import type { Streams } from './stream.ts'

/** What visitors get beside the API: a page, the bar alone, and the files that both load. */
export interface Site {
  /** The page at `/`. Without it, that path is a 404. */
  page?: ((snapshot: Snapshot, reader: Reader) => Resource) | undefined
  /** The bar by itself, for the embedded element. */
  fragment(snapshot: Snapshot, reader: Reader): Resource
  /** The script of the tag, with the bar if that is known. */
  script(snapshot: Snapshot | undefined, reader: Reader): Resource
  asset(name: Asset): Resource
}

export const ASSETS = ['page.js', 'placard.css', 'page.css'] as const

export type Asset = (typeof ASSETS)[number]

/** What chooses the document for a request. */
export interface Reader {
  lang: string | null
  acceptLanguage: string | null
  /** `?dismissible` adds a button that closes the bar. */
  dismissible: boolean
  /** `?styles` adds the bar's styles to a fragment. */
  styles?: boolean
}

/** What a host knows about itself, for `placard doctor` (contract R12). */
export type HostFacts = Pick<Facts, 'node' | 'publicUrl' | 'purge'> &
  Pick<Facts['streams'], 'wanted' | 'fileLimit'>

/** Everything that the handlers of a service need. */
export interface Service {
  store: Store
  showing: Showing
  commands: Commands
  streams: Streams
  guard: Guard
  share: Share
  arrivals: Arrivals
  webhooks: { receive(request: Request, address: string): Promise<Response>; mismatches(): number }
  /** Asks Stripe about coupons, if there is a key. */
  asking?: Asking | undefined
  /** Whether there is a signing secret. */
  notifications: boolean
  /** How many trusted proxies are in front (contract A2). */
  trustProxy: number
  /** Tells services apart, for commands that hold the secret of one. */
  serviceId?: string | undefined
  /** The host's metrics in the text format of Prometheus. Without it, there is no such route. */
  metrics?: (() => Promise<string>) | undefined
  host?: (() => HostFacts) | undefined
  site?: Site | undefined
  /** Whether an icon has this name (contract A16). Never rejects. */
  knowsIcon(name: string): Promise<boolean>
  /** Removes secrets from a text. */
  conceal(text: string): string
  clock: Clock
  log: Log
}
