import { sqliteStore } from '../../../src/store/sqlite.ts'
import { type DirectMount, publish, withdraw } from '../../harness.ts'
import { oneOf, randomFrom } from '../../histories/random.ts'
import { FEATURED, KEY, NOT_FEATURED, startFakeStripe, type Trouble } from '../fake.ts'
import { isValid, type StripeEvent } from '../shapes.ts'
import { makeStage } from '../stage.ts'
import { expected, type Happening } from './model.ts'

const SECOND = 1_000
const MINUTE = 60_000
/** So many things happen in one history. */
const STEPS = 24
/** In one history of so many, the key is of the test mode and the webhooks are of the live one. */
const OTHER_MODE = 8
/** How often what is visible is held against what the checkout refuses. */
const LOOK_MS = 2_500

export interface Fault {
  fault: 'refused' | 'end'
  what: string
}

export interface HistoryOutcome {
  faults: Fault[]
  looks: number
  /** How often an offer was visible that the checkout refused by then, within the bounds. */
  refusedLooks: number
  /** What the history ended with. */
  end: 'offer' | 'by hand' | 'nothing'
}

/** When a coupon began to be refused, and how soon that has to show once Stripe can be asked. */
interface Refused {
  at: number
  boundMs: number
}

/**
 * Lets a shop, its customers, Stripe, the network and the people at the admin do what they may in the order of a seed. It
 * looks meanwhile whether a refused offer is visible for too long, and in the end whether the right thing is up.
 *
 * @param path where a database may be made
 */
export async function runHistory(seed: number, path: string): Promise<HistoryOutcome> {
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const chance = (share: number) => random() < share
  const stage = await makeStage(() => sqliteStore(path))
  const { stripe, clock } = stage
  /** What the key is of, if that is not what the webhooks are of. */
  const other = seed % OTHER_MODE === 0 ? await startFakeStripe(clock.now) : undefined
  stripe.livemode = other !== undefined
  const asked = other ?? stripe
  const outcome: HistoryOutcome = { faults: [], looks: 0, refusedLooks: 0, end: 'nothing' }
  const happened: Happening[] = []
  const refused = new Map<string, Refused>()
  /** The coupon behind each text that was ever sent. */
  const couponOf = new Map<string, string>()
  /** When each coupon ends: seconds since 1970. */
  const endOf = new Map<string, number | null>()
  /** Since when few are left of a coupon. */
  const fewSince = new Map<string, number>()
  const late: { at: number; event: StripeEvent }[] = []
  /** Since when Stripe can be asked, and the service asks; infinity while it can't. */
  let askableSince = clock.now()
  /** Until when Stripe has said not to ask. */
  let quietUntil = 0
  let texts = 0
  const begin = () => stage.start({ stripe: { apiKey: KEY, apiUrl: asked.url } })
  let mount: DirectMount | undefined = await begin()
  const trail: string[] = []

  const note = (fault: Fault['fault'], what: object) => {
    outcome.faults.push({ fault, what: JSON.stringify({ seed, ...what, trail }) })
  }

  async function look() {
    if (!mount) return
    outcome.looks++
    const text = await stage.up(mount)
    const coupon = text === null ? undefined : couponOf.get(text)
    const since = coupon === undefined ? undefined : refused.get(coupon)
    // With a key of the other mode it is as without one.
    if (!since || other) return
    outcome.refusedLooks++
    const answering = Math.max(since.at, askableSince, quietUntil)
    const lateMs = clock.now() - answering - since.boundMs
    if (lateMs > 0) note('refused', { text, lateMs, boundMs: since.boundMs })
  }

  async function deliver(event: StripeEvent) {
    if (!mount) {
      // Nobody is there, so Stripe tries again later.
      late.push({ at: clock.now() + (1 + below(10)) * MINUTE, event })
      return
    }
    await stage.tell(mount, event)
  }

  /** Lets time pass, with what arrives late. */
  async function pass(ms: number) {
    const end = clock.now() + ms
    while (clock.now() < end) {
      await clock.pass(Math.min(LOOK_MS, end - clock.now()))
      const due = late.filter(({ at }) => at <= clock.now())
      for (const one of due) {
        late.splice(late.indexOf(one), 1)
        await deliver(one.event)
      }
      await look()
    }
  }

  function noted(event: StripeEvent, text: string) {
    const object = event.data.object as { id: string; metadata: object; valid: boolean }
    happened.push({
      kind: 'noted',
      type: event.type,
      coupon: object.id,
      featured: 'isFeatured' in object.metadata,
      redeemable: object.valid,
      text,
    })
    trail.push(`${event.type} ${object.id} ${text}`)
    couponOf.set(text, object.id)
  }

  /** A notification is delivered at once, late, twice or never. */
  async function send(event: StripeEvent) {
    const fate = random()
    if (fate < 0.55) await deliver(event)
    else if (fate < 0.7) late.push({ at: clock.now() + below(6 * MINUTE), event })
    else if (fate < 0.8) {
      await deliver(event)
      late.push({ at: clock.now() + below(6 * MINUTE), event })
    } else {
      trail.push('lost')
      // Nobody tells of it any more.
      if (other) happened.pop()
    }
  }

  function refuse(id: string, boundMs: number) {
    if (!refused.has(id)) refused.set(id, { at: clock.now(), boundMs })
  }

  const couponIds = () => [...stripe.coupons.keys()]
  const nextText = () => `Offer ${++texts} of ${seed}`

  const actions: Record<string, () => Promise<void> | void> = {
    async create() {
      const name = nextText()
      const id = `C${texts}`
      const metadata = chance(0.85) ? FEATURED : NOT_FEATURED
      const maxRedemptions = chance(0.7) ? 1 + below(12) : null
      const redeemBy = chance(0.2) ? Math.floor(clock.now() / SECOND) + 30 + below(600) : null
      endOf.set(id, redeemBy)
      const event = stripe.create({ id, name, metadata, maxRedemptions, redeemBy })
      noted(event, name)
      await send(event)
    },
    async edit() {
      const id = oneOf(random, couponIds())
      if (id === undefined) return
      const name = nextText()
      const metadata = chance(0.8) ? FEATURED : NOT_FEATURED
      const event = stripe.edit(id, { name, metadata })
      noted(event, name)
      await send(event)
    },
    async redeem() {
      const coupon = stripe.coupons.get(oneOf(random, couponIds()) ?? '')
      if (!coupon || !isValid(coupon, clock.now() / SECOND)) return
      const { id, maxRedemptions: max } = coupon
      const left = max === null ? Number.POSITIVE_INFINITY : max - coupon.timesRedeemed
      const sale = stripe.redeem(id, Math.min(left, chance(0.3) ? left : 1 + below(3)) || 1)
      trail.push(`redeem ${id}`)
      const few = fewSince.get(id)
      if (max !== null && coupon.timesRedeemed >= max) {
        // That few are left is known after 30 s at most.
        const known = Math.max(few ?? Number.POSITIVE_INFINITY, askableSince, quietUntil) + 32_000
        refuse(id, known < clock.now() ? 7_000 : 32_000)
      } else if (max !== null && max - coupon.timesRedeemed <= Math.max(1, max / 10)) {
        fewSince.set(id, few ?? clock.now())
      }
      if (chance(0.3) && mount) await stage.tell(mount, sale)
    },
    async remove() {
      const id = oneOf(random, couponIds())
      if (id === undefined) return
      const name = stripe.coupons.get(id)?.name ?? ''
      const event = stripe.remove(id)
      noted(event, name)
      refuse(id, 10 * MINUTE + 2_000)
      await send(event)
    },
    async decide() {
      if (!mount) return
      const text = chance(0.5) ? `By hand ${++texts} of ${seed}` : null
      trail.push(text ?? 'withdrawn')
      happened.push({ kind: 'decided', text })
      if (text === null) await withdraw(mount, { type: 'coupon' })
      else await publish(mount, { text, type: 'coupon', slug: '/' })
    },
    async elsewhere() {
      if (mount) await publish(mount, { text: 'Of another type', type: 'post', slug: '/' })
      if (mount) await withdraw(mount, { type: 'post' })
    },
    trouble() {
      const trouble = oneOf<Trouble>(random, [
        'resets',
        { status: 500 },
        { status: 401 },
        { status: 429, headers: { 'Retry-After': String(1 + below(90)) } },
      ])
      trail.push(`trouble ${JSON.stringify(trouble)}`)
      asked.trouble = () => {
        const wait = typeof trouble === 'object' && Number(trouble.headers?.['Retry-After'] ?? 0)
        if (wait) quietUntil = Math.max(quietUntil, clock.now() + wait * SECOND)
        return trouble
      }
      askableSince = Number.POSITIVE_INFINITY
    },
    answer() {
      trail.push('answers')
      asked.trouble = () => undefined
      if (mount) askableSince = Math.min(askableSince, clock.now())
    },
    async stop() {
      if (!mount) return
      trail.push('stopped')
      await mount.close()
      mount = undefined
      askableSince = Number.POSITIVE_INFINITY
    },
    async start() {
      if (mount) return
      trail.push('started')
      mount = await begin()
      if (asked.trouble('') === undefined) askableSince = clock.now()
    },
  }
  /** What happens in the mode of the key says nothing of the other, even of a coupon of the same id. */
  function elsewhereInTestMode() {
    if (!other) return
    const known = oneOf(random, [...other.coupons.keys()])
    if (known === undefined || chance(0.4)) {
      const id = oneOf(random, couponIds()) ?? 'TEST'
      other.create({ id, name: 'In the test mode', maxRedemptions: chance(0.5) ? 2 : null })
    } else if (chance(0.3)) other.remove(known)
    else if (chance(0.5)) other.redeem(known, 2)
    else other.edit(known, { name: 'In the test mode, edited' })
  }

  const weighted = Object.entries({
    ...{ create: 5, edit: 4, redeem: 8, remove: 2, decide: 3, elsewhere: 1 },
    ...{ trouble: 1, answer: 3, stop: 1, start: 3 },
  }).flatMap(([name, weight]) => Array<string>(weight).fill(name))

  try {
    if (other) {
      const first = stripe.create({ id: 'FIRST', name: `First of ${seed}` })
      noted(first, `First of ${seed}`)
      await deliver(first)
    }
    for (let step = 0; step < STEPS; step++) {
      await actions[oneOf(random, weighted)]?.()
      elsewhereInTestMode()
      // Stripe's clock has whole seconds, so what is to have an order is further apart.
      await pass(2_500 + (chance(0.6) ? below(20 * SECOND) : below(4 * MINUTE)))
    }
    // All ends well: Stripe answers, the service runs, and what is late arrives.
    await actions.answer?.()
    await actions.stop?.()
    await actions.start?.()
    await pass(11 * MINUTE)
    for (const { event } of late.splice(0)) await deliver(event)
    await pass(35 * SECOND)
    const now = clock.now() / SECOND
    const isRefused = (id: string) => {
      if (other) return (endOf.get(id) ?? Number.POSITIVE_INFINITY) <= now
      const coupon = stripe.coupons.get(id)
      return !coupon || !isValid(coupon, now)
    }
    const right = expected(happened, isRefused)
    const shown = mount ? await stage.up(mount) : null
    if (shown !== right) note('end', { shown, right })
    outcome.end = right === null ? 'nothing' : couponOf.has(right) ? 'offer' : 'by hand'
    return outcome
  } finally {
    await stage.close()
    await other?.close()
  }
}
