import { ANNOUNCEMENT_TYPES, type AnnouncementType } from '../src/core/fields.ts'
import { couponNotification } from '../src/stripe/simulate.ts'
import { sign } from '../test/harness.ts'
import { clientAddress } from './processes.ts'
import { deedOf, type Sent } from './soak-history.ts'

/** A type that gets one write at a time, so each response determines what must be stored. */
export interface Lane {
  type: AnnouncementType
  /** The texts that may be stored now (`null`: none): one text after a response, two while a response is awaited. */
  possible: (string | null)[]
}

interface Write {
  send(): Promise<Response>
  /** The text that is stored once the write is done; `null` for none. */
  leads: string | null
  acknowledged?: boolean
}

export function createWriters(url: string, secret: string, signingSecret: string) {
  const lanes: Lane[] = ANNOUNCEMENT_TYPES.map((type) => ({
    type,
    possible: [null],
  }))
  const sent: Sent = new Map()
  let acknowledged = 0
  let count = 0
  /** The latest notification that was sent. It is sent again after a restart, as Stripe would. */
  let latest: Write | undefined

  const byRequest = (type: Lane['type']): Write => {
    const leads = ++count % 4 === 0 ? null : `${type} number ${count}`
    const [method, body] =
      leads === null ? ['DELETE', { type }] : ['POST', { type, text: leads, slug: '/' }]
    const headers = {
      Authorization: `Bearer ${secret}`,
      'Content-Type': 'application/json',
      'X-Forwarded-For': clientAddress(count),
    }
    const init = { method, headers, body: JSON.stringify(body) }
    return { leads, send: () => fetch(`${url}/api/events`, init) }
  }

  const byNotification = (): Write => {
    const leads = ++count % 4 === 0 ? null : `coupon number ${count}`
    const type = leads === null ? 'coupon.deleted' : 'coupon.created'
    const body = JSON.stringify(couponNotification(type, { name: leads }, 1_700_000_000 + count))
    const send = () => {
      const headers = { 'Stripe-Signature': sign(body, signingSecret, Date.now()) }
      return fetch(`${url}/api/webhooks`, { method: 'POST', headers, body })
    }
    latest = { leads, send }
    return latest
  }

  async function write(lane: Lane, one: Write): Promise<void> {
    const { leads } = one
    // A repeat of an acknowledged write has no second effect.
    const deed = one.acknowledged ? null : deedOf(lane.possible[0] ?? null, leads)
    if (deed !== null) sent.set(deed, false)
    lane.possible = [...lane.possible, leads]
    const response = await one.send()
    // A write counts as acknowledged only once the whole response has arrived.
    const answer = await response.text()
    if (!response.ok) throw new Error(`${lane.type}: ${response.status} ${answer}`)
    lane.possible = [leads]
    one.acknowledged = true
    if (deed !== null) sent.set(deed, true)
    acknowledged++
  }

  return {
    lanes,
    sent,
    acknowledged: () => acknowledged,

    /** Writes on all lanes until the service is gone. Returns a function that stops the writers and waits for them. */
    run(): () => Promise<void> {
      let running = true
      const ends = Promise.allSettled(
        lanes.map(async (lane) => {
          while (running) {
            await write(lane, lane.type === 'coupon' ? byNotification() : byRequest(lane.type))
          }
        }),
      )
      return async () => {
        running = false
        for (const end of await ends) {
          // A broken connection is expected, but an error response is not.
          if (end.status === 'rejected' && !(end.reason instanceof TypeError)) throw end.reason
        }
      }
    },

    /** Delivers the latest notification twice more. Whether or not it had taken effect before, it must have now. */
    async repeat(): Promise<string[]> {
      if (!latest) return []
      const lane = lanes.find(({ type }) => type === 'coupon') as Lane
      for (let times = 0; times < 2; times++) await write(lane, latest)
      const stored = lane.possible
      return stored.length === 1 ? [] : ['a repeated notification left its effect open']
    },
  }
}
