import { StoreUnavailable } from '../../../src/core/problem.ts'
import { sqliteStore } from '../../../src/store/sqlite.ts'
import type { Store, WatchListener } from '../../../src/store/store.ts'
import { current, type DirectMount, publish, put, readOwned, withdraw } from '../../harness.ts'
import { oneOf, randomFrom } from '../../histories/random.ts'
import { FEATURED, KEY, NOT_FEATURED, startFakeStripe, type Trouble } from '../fake.ts'
import { isValid, type StoredCode, type StoredCoupon, type StripeEvent } from '../shapes.ts'
import { MINUTE, makeStage } from '../stage.ts'
import { expected, type Happening } from './model.ts'

const SECOND = 1_000
/** The number of events in a history. */
const STEPS = 24
/** In one of this many histories, the key is for test mode and the webhooks are for live mode. */
const OTHER_MODE = 8
/** In one of this many histories, our clock is ten minutes off: signatures are rejected, so only lists bring events. */
const OFF_CLOCK = 7
/** How often the visible announcement is checked against what the checkout refuses. */
const CHECK_MS = 2_500
/** How long an offer with a limit may show without an answer (contract T3). */
const SILENCE_MS = 5 * MINUTE + 10 * SECOND
/** How soon after a change a node asks Stripe. */
const POLL_MS = 2 * SECOND
/** How soon after the next answer a paused offer shows again. */
const RESUME_MS = 35 * SECOND

/**
 * What went wrong: a refused offer showed too long, a limited offer showed too long without an answer, a valid offer was
 * paused while Stripe answered, a request ignored Retry-After, or the wrong announcement showed at the end.
 */
export type OfferFault = 'refused' | 'silent' | 'paused' | 'early' | 'end'

export interface Fault {
  fault: OfferFault
  what: string
}

export interface HistoryOutcome {
  faults: Fault[]
  looks: number
  /** How often a refused offer was visible, but not for too long. */
  refusedLooks: number
  /** How often an offer was paused. */
  pausedLooks: number
  /** How many requests Stripe got. */
  asked: number
  /** The number of events that could not be read, stored or judged. */
  spoilt: number
  /** What showed at the end. */
  end: 'offer' | 'by hand' | 'nothing'
}

/** When the checkout began to refuse a coupon, and how soon after an answer from Stripe its offer must be down. */
interface Refused {
  at: number
  boundMs: number
}

/** The id prefix of coupons that the store rejects. */
const UNSTORABLE = 'BAD'
/** The id prefix of coupons about which Stripe never answers, so that only their notifications matter. */
const UNJUDGED = 'HARD'

/**
 * Opens a store that reports other nodes' changes when `tell` is called, because its own timer doesn't follow the stage's
 * clock. It rejects {@link UNSTORABLE} coupons.
 */
function hearing(path: string): Store & { tell(): void } {
  const store = sqliteStore(path)
  let listener: WatchListener | undefined
  return {
    ...store,
    applyNotification: (notification, now) =>
      notification.coupon?.startsWith(UNSTORABLE)
        ? Promise.reject(new StoreUnavailable(new Error('invalid byte sequence')))
        : store.applyNotification(notification, now),
    watch(one) {
      listener = one
      store.watch?.(one)
    },
    tell: () => listener?.changed(),
  }
}

/**
 * Runs a random history on two nodes: a shop, its customers, Stripe, the network and editors act in an order that the
 * seed determines. Checks throughout that no wrong announcement shows, and at the end that the right one does.
 *
 * @param path where to create the database
 */
export async function runHistory(seed: number, path: string): Promise<HistoryOutcome> {
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const chance = (share: number) => random() < share
  const isOff = seed % OFF_CLOCK === 0
  const aheadMs = isOff ? (seed % 2 === 0 ? 10 : -10) * MINUTE : 0
  const stores: (ReturnType<typeof hearing> | undefined)[] = []
  const stage = await makeStage(aheadMs)
  const { stripe, clock } = stage
  /** The Stripe of the key's mode, if the webhooks are for the other mode. */
  const other = seed % OTHER_MODE === 0 && !isOff ? await startFakeStripe(clock.now) : undefined
  stripe.livemode = other !== undefined
  const asked = other ?? stripe
  const outcome: HistoryOutcome = {
    ...{ faults: [], looks: 0, refusedLooks: 0, pausedLooks: 0, asked: 0, spoilt: 0 },
    end: 'nothing',
  }
  const happened: Happening[] = []
  const refused = new Map<string, Refused>()
  /** The coupon of each text that was ever sent, and the time of sending. */
  const sent = new Map<string, { coupon: string; at: number }>()
  /** When each coupon ends: seconds since 1970. */
  const endOf = new Map<string, number | null>()
  /** When each coupon came to have few redemptions left. */
  const fewSince = new Map<string, number>()
  const late: { at: number; event: StripeEvent }[] = []
  /** When Stripe began to answer, when it stopped, and when a node began to run; infinity if that isn't so now. */
  let answersSince = clock.now()
  let silentSince = Number.POSITIVE_INFINITY
  let runsSince = clock.now()
  /** The end of the longest wait that Stripe asked for, and when it asked. */
  let quietUntil = 0
  let quietSaid = 0
  let texts = 0
  const nodes: (DirectMount | undefined)[] = []
  const trail: string[] = []
  const isRunning = () => nodes.some((node) => node)
  const anyNode = () =>
    oneOf(
      random,
      nodes.filter((node) => node !== undefined),
    )

  const note = (fault: Fault['fault'], what: object) => {
    outcome.faults.push({ fault, what: JSON.stringify({ seed, fault, ...what, trail }) })
  }

  async function start(index: number) {
    if (nodes[index]) return
    const store = hearing(path)
    stores[index] = store
    if (!isRunning()) runsSince = clock.now()
    nodes[index] = await stage.start({ stripe: { apiKey: KEY, apiUrl: asked.url } }, store)
    trail.push(`node ${index} started`)
  }

  async function stop(index: number) {
    await nodes[index]?.close()
    nodes[index] = undefined
    stores[index] = undefined
    if (!isRunning()) runsSince = Number.POSITIVE_INFINITY
    trail.push(`node ${index} stopped`)
  }

  /** What Stripe does with each request from now on. */
  function answerWith(trouble: Trouble | undefined) {
    const isAnswer = trouble === undefined
    if (isAnswer) answersSince = Math.min(answersSince, clock.now())
    else {
      answersSince = Number.POSITIVE_INFINITY
      silentSince = Math.min(silentSince, clock.now())
    }
    if (isAnswer) silentSince = Number.POSITIVE_INFINITY
    asked.trouble = (path) => {
      outcome.asked++
      if (isAnswer && path.startsWith(`/v1/coupons/${UNJUDGED}`)) return { status: 500 }
      const now = clock.now()
      if (now < quietUntil && now > quietSaid) note('early', { earlyMs: quietUntil - now })
      const wish = typeof trouble === 'object' ? trouble.headers?.['Retry-After'] : undefined
      if (wish === undefined) return trouble
      const seconds = Number(wish)
      const until = Math.floor((now - aheadMs) / SECOND + seconds) * SECOND + aheadMs
      // Some waits are in seconds, others are dates by Stripe's clock.
      const isDate = seconds % 2 === 0
      quietSaid = now
      quietUntil = Math.max(quietUntil, isDate ? until : now + seconds * SECOND)
      const said = isDate ? new Date(until - aheadMs).toUTCString() : wish
      return { status: 429, headers: { 'Retry-After': said } }
    }
  }

  const codeOf = (coupon: string): StoredCode | undefined =>
    [...stripe.codes.values()].find((code) => code.coupon === coupon)

  /** How many redemptions the coupon and its code have left. */
  function leftOf(coupon: StoredCoupon): { left: number; isFew: boolean } {
    const code = codeOf(coupon.id)
    const counts = [coupon, ...(code ? [code] : [])].flatMap(({ maxRedemptions, timesRedeemed }) =>
      maxRedemptions === null
        ? []
        : [{ max: maxRedemptions, left: maxRedemptions - timesRedeemed }],
    )
    return {
      left: Math.min(...counts.map(({ left }) => left)),
      isFew: counts.some(({ max, left }) => left <= Math.max(1, max / 10)),
    }
  }

  async function look() {
    const node = anyNode()
    if (!node) return
    outcome.looks++
    const now = clock.now()
    // These routes read the database. A node's memory follows other nodes' writes in real time, not the stage's.
    const read = async (what: string) => (await readOwned(node, `/api/events/${what}`)).json()
    const { event } = await read(`scheduled?at=${now}`)
    const { events } = await read('slots')
    const paused = (events as { text: string; pausedSince?: string }[]).find(
      ({ pausedSince }) => pausedSince !== undefined,
    )
    if (paused) outcome.pausedLooks++
    const pausedMs = now - Math.max(answersSince, quietUntil, runsSince) - RESUME_MS
    if (paused && pausedMs > 0) note('paused', { text: paused.text, pausedMs })
    const about = sent.get(event?.text ?? '')
    // A key for the other mode changes nothing.
    if (!about || other) return
    const coupon = stripe.coupons.get(about.coupon)
    const isLimited = coupon !== undefined && leftOf(coupon).left !== Number.POSITIVE_INFINITY
    const silence = Math.max(silentSince, about.at) + SILENCE_MS
    // An offer whose notification was late is published late, and checked by the next poll.
    const upSince = Number(event.timestamp) + POLL_MS
    const silentMs = now - Math.max(silence, runsSince + 10 * SECOND, upSince)
    if (isLimited && silentMs > 0) note('silent', { text: event.text, silentMs })
    const since = refused.get(about.coupon)
    if (!since) return
    outcome.refusedLooks++
    // A trigger doesn't help if the offer is published after it, or while Stripe doesn't answer.
    const isUntold = Math.max(about.at, answersSince) > since.at
    const boundMs = isUntold ? Math.max(32 * SECOND, since.boundMs) : since.boundMs
    const from = Math.max(since.at, about.at, answersSince, quietUntil, runsSince)
    const lateMs = now - from - boundMs
    if (lateMs > 0) note('refused', { text: event.text, lateMs, boundMs })
  }

  async function deliver(event: StripeEvent): Promise<void> {
    // The signature's time is too far off.
    if (isOff) return
    const node = anyNode()
    // No node is running, so Stripe retries later.
    if (node) await stage.tell(event, node)
    else late.push({ at: clock.now() + (1 + below(10)) * MINUTE, event })
  }

  /** Delivers a trigger about a sale or a code. @returns whether the service checks the coupon at once */
  async function ring(event: StripeEvent): Promise<boolean> {
    const isIdle = clock.now() - Math.max(answersSince, quietUntil, runsSince) > 40 * SECOND
    const node = anyNode()
    if (!node || isOff) return false
    await stage.tell(event, node)
    return isIdle
  }

  /** Lets time pass, and delivers late notifications. */
  async function pass(ms: number) {
    const end = clock.now() + ms
    while (clock.now() < end) {
      for (const store of stores) store?.tell()
      await clock.pass(Math.min(CHECK_MS, end - clock.now()))
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
    sent.set(text, { coupon: object.id, at: clock.now() })
  }

  /** Delivers a notification at once, late, twice or never. */
  async function send(event: StripeEvent) {
    const fate = random()
    if (fate < 0.55) await deliver(event)
    else if (fate < 0.7) late.push({ at: clock.now() + below(6 * MINUTE), event })
    else if (fate < 0.8) {
      await deliver(event)
      late.push({ at: clock.now() + below(6 * MINUTE), event })
    } else {
      trail.push('lost')
      // Without the right key, no list contains the event either.
      if (other) happened.pop()
    }
  }

  function refuse(id: string, boundMs: number) {
    if (!refused.has(id)) refused.set(id, { at: clock.now(), boundMs })
  }

  const isRefused = (id: string) => {
    const now = (clock.now() - aheadMs) / SECOND
    if (other) return (endOf.get(id) ?? Number.POSITIVE_INFINITY) <= clock.now() / SECOND
    const coupon = stripe.coupons.get(id)
    const code = codeOf(id)
    return !coupon || !isValid(coupon, now) || (code !== undefined && !isUsable(code))
  }
  const isUsable = ({ active, maxRedemptions: max, timesRedeemed }: StoredCode) =>
    active && (max === null || timesRedeemed < max)

  /** The coupons that Stripe answers about. Changes to others would be lost with their notifications. */
  const couponIds = () => [...stripe.coupons.keys()].filter((id) => !id.startsWith(UNJUDGED))
  const nextText = () => `Offer ${++texts} of ${seed}`
  const metadataOf = (id: string, featured: boolean, hasCode: boolean) => ({
    ...(featured ? FEATURED : NOT_FEATURED),
    ...(hasCode && { placard_code: `CODE-${id}` }),
  })

  const actions: Record<string, () => Promise<void> | void> = {
    async create() {
      const name = nextText()
      const id = `C${texts}`
      const hasCode = chance(0.3) && !other
      const metadata = metadataOf(id, chance(0.85), hasCode)
      const maxRedemptions = chance(0.7) ? 1 + below(12) : null
      const redeemBy = chance(0.2)
        ? Math.floor((clock.now() - aheadMs) / SECOND) + 30 + below(600)
        : null
      endOf.set(id, redeemBy)
      const event = stripe.create({ id, name, metadata, maxRedemptions, redeemBy })
      const max = chance(0.5) ? 1 + below(12) : null
      if (hasCode) stripe.createCode(id, `CODE-${id}`, { id: `promo_${id}`, maxRedemptions: max })
      noted(event, name)
      await send(event)
    },
    async edit() {
      const id = oneOf(random, couponIds())
      if (id === undefined) return
      const name = nextText()
      const event = stripe.edit(id, {
        name,
        metadata: metadataOf(id, chance(0.8), codeOf(id) !== undefined),
      })
      noted(event, name)
      await send(event)
    },
    async redeem() {
      const coupon = stripe.coupons.get(oneOf(random, couponIds()) ?? '')
      if (!coupon || isRefused(coupon.id)) return
      const { id } = coupon
      const before = leftOf(coupon)
      const times = Math.min(before.left, chance(0.3) ? before.left : 1 + below(3))
      const count = Number.isFinite(times) ? times : 1
      const sale = stripe.redeem(id, count)
      const code = codeOf(id)
      if (code) stripe.editCode(code.id, { timesRedeemed: code.timesRedeemed + count })
      trail.push(`redeem ${id}`)
      const few = fewSince.get(id)
      const { left, isFew } = leftOf(coupon)
      const isHeard = chance(0.3) && (await ring(sale))
      if (left <= 0) {
        // The service knows after at most 30 s that few are left.
        const known =
          Math.max(few ?? Number.POSITIVE_INFINITY, answersSince, quietUntil, runsSince) + 32_000
        refuse(id, isHeard ? 2_000 : known < clock.now() ? 7_000 : 32_000)
      } else if (isFew) fewSince.set(id, few ?? clock.now())
    },
    async deactivate() {
      const code = oneOf(random, [...stripe.codes.values()])
      const coupon = code && stripe.coupons.get(code.coupon)
      if (!coupon || !code.active) return
      const isLimited = Number.isFinite(leftOf(coupon).left)
      const event = stripe.editCode(code.id, { active: false })
      trail.push(`deactivated ${code.id}`)
      const isHeard = chance(0.3) && (await ring(event))
      refuse(coupon.id, isHeard ? 2_000 : isLimited ? 32_000 : 10 * MINUTE + 2_000)
    },
    async sales() {
      trail.push('a sale a second')
      for (let second = 0; second < 20; second++) {
        const id = oneOf(random, couponIds())
        if (id !== undefined) await ring(stripe.redeem(id, 0))
        await pass(SECOND)
      }
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
      const node = anyNode()
      if (!node) return
      const text = chance(0.5) ? `By hand ${++texts} of ${seed}` : null
      trail.push(text ?? 'withdrawn')
      happened.push({ kind: 'decided', text })
      if (text === null) await withdraw(node, { type: 'coupon' })
      else await publish(node, { text, type: 'coupon', slug: '/' })
    },
    async rewrite() {
      const node = anyNode()
      const event = node && (await current(node))
      if (event?.type !== 'coupon') return
      const { id, expiresAt } = event
      const text = `Rewritten ${++texts} of ${seed}`
      const body = { text, type: 'coupon', slug: '/', ...(expiresAt && { expiresAt }) }
      if ((await put(node, id, body)).status !== 200) return
      trail.push(text)
      const about = sent.get(event.text)
      happened.push({ kind: 'decided', text, coupon: about?.coupon })
      if (about) sent.set(text, about)
    },
    /** Creates an event that can't be read, stored or judged. Only one that can't be judged has an effect. */
    async spoil() {
      if (other) return
      const id = `${oneOf(random, ['ODD', UNSTORABLE, UNJUDGED])}${++texts}`
      const text = `Spoilt ${texts} of ${seed}`
      const event = stripe.create({ id, name: text })
      outcome.spoilt++
      if (id.startsWith(UNJUDGED)) {
        noted(event, text)
        await send(event)
        return
      }
      trail.push(`spoilt ${id}`)
      stripe.coupons.delete(id)
      if (id.startsWith(UNSTORABLE)) return
      const { id: _, ...nameless } = event
      const late = { ...event, created: event.created * SECOND }
      const garbled = [null, 7, nameless, late, { ...event, data: null }, { ...event, type: null }]
      stripe.garbled.set(event, oneOf(random, garbled))
    },
    async elsewhere() {
      const node = anyNode()
      if (!node) return
      await publish(node, { text: 'Of another type', type: 'post', slug: '/' })
      await withdraw(node, { type: 'post' })
    },
    trouble() {
      const wait = String(1 + below(chance(0.2) ? 900 : 90))
      const trouble = oneOf<Trouble>(random, [
        'resets',
        { status: 500 },
        { status: 401 },
        { status: 429, headers: { 'Retry-After': wait } },
      ])
      trail.push(`trouble ${JSON.stringify(trouble)}`)
      answerWith(trouble)
    },
    answer() {
      trail.push('answers')
      answerWith(undefined)
    },
    async stop() {
      await stop(below(2))
    },
    async start() {
      await start(below(2))
    },
  }
  /** Changes coupons in the key's mode, which must not affect the webhooks' mode, even for the same coupon id. */
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
    ...{ create: 5, edit: 4, redeem: 8, deactivate: 1, sales: 1, remove: 2, decide: 3, rewrite: 5 },
    ...{ elsewhere: 1, spoil: 3, trouble: 3, answer: 4, stop: 2, start: 6 },
  }).flatMap(([name, weight]) => Array<string>(weight).fill(name))

  try {
    await start(0)
    answerWith(undefined)
    if (other) {
      const first = stripe.create({ id: 'FIRST', name: `First of ${seed}` })
      noted(first, `First of ${seed}`)
      await deliver(first)
    }
    for (let step = 0; step < STEPS; step++) {
      await actions[oneOf(random, weighted) ?? '']?.()
      elsewhereInTestMode()
      // Stripe's clock counts whole seconds, so events must be further apart for their order to be clear.
      await pass(2_500 + (chance(0.6) ? below(20 * SECOND) : below(4 * MINUTE)))
    }
    // At the end, Stripe answers, a service runs, and late notifications arrive.
    answerWith(undefined)
    await stop(0)
    await stop(1)
    await start(0)
    // With a wrong clock, only the check every ten minutes notices that the last coupon has expired.
    await pass(Math.max((isOff ? 21 : 11) * MINUTE, quietUntil - clock.now() + MINUTE))
    for (const { event } of late.splice(0)) await deliver(event)
    await pass(35 * SECOND)
    const right = expected(happened, isRefused)
    const shown = nodes[0] ? await stage.up(nodes[0]) : null
    if (shown !== right) note('end', { shown, right })
    outcome.end = right === null ? 'nothing' : sent.has(right) ? 'offer' : 'by hand'
    return outcome
  } finally {
    await stage.close()
    await other?.close()
  }
}
