import type { WireBody } from '../../src/core/announcement.ts'
import { ANNOUNCEMENT_TYPES } from '../../src/core/fields.ts'
import type { Store } from '../../src/store/store.ts'
import { type DirectMount, makePlacard, manualClock, publish, withdraw } from '../harness.ts'
import { oneOf, randomFrom } from '../histories/random.ts'
import { type Fault, modelAt, type Window } from './model.ts'

/** Instants are on a grid, or next to it, so that starts, ends and writes coincide. */
const STEP_MS = 1_000
const WINDOWS = 5
const INSTANTS = 5
/** The limit of the schedule (contract A14). */
const MOST_WAITING = 20

export interface Outcome {
  windows: number
  /** Responses that were compared with the model. */
  reads: number
  /** Responses of `?at=` that were compared with the real one. */
  foretold: number
  faults: { fault: Fault | 'foretold'; what: string }[]
}

/**
 * Publishes random windows on two nodes that share a database and a clock, moves the clock to random instants, and compares
 * what both nodes show with the model and with what `?at=` predicted. Now and then, no node runs while time passes.
 *
 * @param open opens the database, once for each node
 */
export async function runWindows(
  seed: number,
  rounds: number,
  open: () => Promise<Store>,
): Promise<Outcome> {
  const random = randomFrom(seed)
  const clock = manualClock()
  const windows: Window[] = []
  const outcome: Outcome = { windows: 0, reads: 0, foretold: 0, faults: [] }
  const node = async () => makePlacard(await open(), {}, clock)
  let nodes = [await node(), await node()]

  const below = (limit: number) => Math.floor(random() * limit)
  const jitter = () => oneOf(random, [-1, 0, 0, 0, 1])
  /** An instant this many steps after another, or next to that. */
  const stepsAfter = (instant: number, steps: number) =>
    Math.ceil(instant / STEP_MS) * STEP_MS + steps * STEP_MS + jitter()
  const note = (fault: Fault | 'foretold', what: object) => {
    outcome.faults.push({ fault, what: JSON.stringify({ seed, at: clock.now(), ...what }) })
  }

  async function putUp(mount: DirectMount) {
    const now = clock.now()
    const waiting = windows.filter(({ from, removed }) => from > now && removed > now)
    const scheduled = random() < 0.6 && waiting.length < MOST_WAITING
    const from = scheduled ? stepsAfter(now, 1 + below(12)) : now
    const until = random() < 0.6 ? stepsAfter(from, 1 + below(8)) : Number.POSITIVE_INFINITY
    const type = oneOf(random, ANNOUNCEMENT_TYPES)
    const text = `window ${++outcome.windows} of ${seed}`
    const response = await publish(mount, {
      ...{ text, type, slug: '/' },
      ...(scheduled && { startsAt: from }),
      ...(until < Number.POSITIVE_INFINITY && { expiresAt: until }),
    })
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
    const id = String(response.headers.get('placard-event-id'))
    windows.push({ id, text, type, from, until, scheduled, removed: Number.POSITIVE_INFINITY })
  }

  async function takeDown(mount: DirectMount) {
    const now = clock.now()
    const { standing } = modelAt(windows, now)
    const waiting = windows.filter(({ from, removed }) => from > now && removed > now)
    const type = oneOf(random, ANNOUNCEMENT_TYPES)
    const byType = random() < 0.5
    const one = byType
      ? standing.find((window) => window.type === type)
      : oneOf(random, [...standing, ...waiting])
    const answer = await withdraw(mount, byType ? { type } : { id: one?.id ?? 'none' })
    const { deleted } = await answer.json()
    if (deleted !== (one ? 1 : 0)) note('other', { deleted, one })
    if (one) one.removed = now
  }

  async function look(mount: DirectMount): Promise<string> {
    const body = await (await mount.fetch('/api/events')).text()
    const { event } = JSON.parse(body) as WireBody
    const model = modelAt(windows, clock.now())
    const fault = model.faultIn(event)
    if (fault) note(fault, { shown: event, expected: model.event })
    outcome.reads++
    return body
  }

  async function foretell(at: number): Promise<string> {
    const headers = { Authorization: `Bearer ${nodes[0]?.apiSecret}` }
    const path = `/api/events/scheduled?at=${at}`
    return (await oneOf(random, nodes).fetch(path, { headers })).text()
  }

  /** Changes nothing, but like every write it stores what is due; after that, its node shows everything written before. */
  const writeNothing = (mount: DirectMount) => withdraw(mount, { id: 'none' })

  function instants(): number[] {
    const now = clock.now()
    const turns = windows.flatMap(({ from, until }) => [from, until]).filter((turn) => turn > now)
    const some = Array.from({ length: INSTANTS }, () =>
      random() < 0.3 && turns.length > 0
        ? Math.min(oneOf(random, turns), now + 60 * STEP_MS) + jitter()
        : stepsAfter(now, below(15)),
    )
    return some.map((at) => Math.max(at, now)).toSorted((a, b) => a - b)
  }

  try {
    for (let round = 0; round < rounds; round++) {
      for (let count = 0; count < WINDOWS; count++) {
        clock.advance(below(3) * below(STEP_MS))
        const mount = oneOf(random, nodes)
        if (random() < 0.2) await takeDown(mount)
        await putUp(mount)
        await look(mount)
      }
      await Promise.all(nodes.map(writeNothing))

      const foretold = await Promise.all(
        instants().map(async (at) => ({ at, body: await foretell(at) })),
      )
      for (const { at, body } of foretold) {
        const alive = random() < 0.9
        if (!alive) await Promise.all(nodes.map((mount) => mount.close()))
        clock.set(at)
        if (!alive) nodes = [await node(), await node()]
        const shown = await Promise.all(nodes.map(look))
        outcome.foretold++
        if (shown.some((one) => one !== body)) note('foretold', { foretold: body, shown })
        if (random() < 0.3) await writeNothing(oneOf(random, nodes))
      }
    }
    return outcome
  } finally {
    await Promise.all(nodes.map((mount) => mount.close()))
  }
}
