import { toWire } from '../core/announcement.ts'
import { type Clock, within } from '../core/clock.ts'
import { rootCause } from '../core/log.ts'
import type { Showing } from '../showing/showing.ts'
import { choose, tagOf } from '../showing/snapshot.ts'
import type { Store } from '../store/store.ts'
import type { Asking } from '../stripe/asking.ts'
import { NO_STORE } from './answer.ts'
import type { Arrivals } from './arrivals.ts'
import type { Facts } from './facts.ts'
import type { Guard } from './guard.ts'
import { assertNone, queryOf } from './query.ts'
import type { Site } from './site.ts'
import type { Streams } from './stream.ts'
import type { Webhooks } from './webhooks.ts'

/** How long the database may take, and each of two questions to Stripe. */
const PATIENCE_MS = 2_000

/** What a host knows of itself, for `placard doctor` (contract R12). */
export interface HostFacts {
  /** The version of Node. */
  node?: string
  publicUrl?: string | null
  /** `MAX_STREAMS`, as it was set. The limit of open files may allow fewer. */
  wantedStreams?: number
  /** How many files may be open, if there is a limit. */
  fileLimit?: number | undefined
  /** The cache in front, if there is one, and why its last purge failed, if it did. */
  purge?: { failure?: string | undefined }
}

export interface DoctorOptions {
  store: Store
  showing: Showing
  streams: Streams
  arrivals: Arrivals
  /** Whether there is a signing secret. */
  notifications: boolean
  webhooks: Pick<Webhooks, 'mismatches'>
  asking?: Asking | undefined
  site?: Site | undefined
  host?: (() => HostFacts) | undefined
  guard: Guard
  clock: Clock
  /** Takes secrets out of a text. */
  conceal(text: string): string
}

/** `GET /api/doctor`: what only the service knows of its own health (contract R12). */
export function createDoctor(options: DoctorOptions) {
  const { store, showing, streams, arrivals, notifications, asking, site, guard, clock } = options
  const { webhooks } = options

  async function read(probe: string | undefined, withStripe: boolean): Promise<Facts> {
    const [stored, database, stripe] = await Promise.all([
      inTime(storedNow(), 'the database').then(({ value }) => value),
      databaseNow(),
      withStripe ? asking?.examine(PATIENCE_MS) : undefined,
    ])
    const host: HostFacts = options.host?.() ?? {}
    const { publicUrl, node, wantedStreams: wanted, fileLimit, purge } = host
    const { trusted, local, direct, some, enough } = arrivals.counts
    const entries = probe === undefined ? undefined : arrivals.entriesOf(probe)
    return {
      now: String(clock.now()),
      stored,
      database,
      hearing: showing.hearing(),
      background: store.watch !== undefined,
      streams: { open: streams.size, max: streams.max, wanted, fileLimit },
      forwarded: { trusted, local, direct, some, enough, probe: entries },
      notifications,
      mismatches: webhooks.mismatches(),
      stripe: asking ? (stripe ?? {}) : null,
      page: site?.page !== undefined,
      node,
      publicUrl,
      purge,
    }
  }

  async function storedNow() {
    const board = await store.load()
    const { event } = choose(board, clock.now())
    const state = tagOf(event).replaceAll('"', '')
    return { event: event && toWire(event), state, last: String(board.last) }
  }

  async function databaseNow(): Promise<Facts['database']> {
    if (!store.inspect) return {}
    const asked = clock.now()
    const { value, error } = await inTime(store.inspect(), 'the database')
    if (!value) return { error }
    const { now, failed, ...state } = value
    return {
      ...state,
      writable: store.writable?.(),
      ...(now !== undefined && { aheadMs: aheadOf(now, asked, clock.now()) }),
      ...(failed !== undefined && { error: options.conceal(rootCause(failed)) }),
    }
  }

  async function inTime<T>(work: Promise<T>, who: string): Promise<{ value?: T; error?: string }> {
    const result: { value?: T } = {}
    const done = work.then((value) => {
      result.value = value
    })
    try {
      await within(PATIENCE_MS, done, who)
      return result
    } catch (error) {
      done.catch(() => {})
      return { error: options.conceal(rootCause(error)) }
    }
  }

  return {
    read: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        const { probe, stripe, ...others } = queryOf(request)
        assertNone(others)
        return Response.json(await read(probe, stripe !== undefined), { headers: NO_STORE })
      }),
  }
}

/** How far we are ahead of a clock that said `theirs` at some moment between two of ours; 0 if that can be none. */
function aheadOf(theirs: number, asked: number, answered: number): number {
  return Math.max(0, asked - theirs) + Math.min(0, answered - theirs)
}
