import { setTimeout as sleep } from 'node:timers/promises'
import type { WireBody } from '../../src/core/announcement.ts'
import { ANNOUNCEMENT_TYPES } from '../../src/core/fields.ts'
import { type DirectMount, publish, withdraw } from '../harness.ts'
import { follow } from '../suites/stream.ts'
import type { Looked, Noted, Seen } from './history.ts'
import { oneOf, type Random } from './random.ts'

/** Records everything that happens. */
export interface Notebook {
  /** Milliseconds since the history began. */
  now(): number
  note(step: Noted): void
}

export interface Node {
  name: string
  mount: DirectMount
}

/** An open page. */
export interface Page {
  node: string
  /** What it received last, if anything. */
  latest(): Seen | null | undefined
  close(): void
}

const dataOf = (message: string) => /^data: (.*)$/m.exec(message)?.[1]

function seen({ event }: WireBody): Seen | null {
  if (!event) return null
  const { id, text, type, timestamp } = event
  return { id, text, type, timestamp: Number(timestamp) }
}

/** Reads once, and records what was live. */
export async function look({ name, mount }: Node, { now, note }: Notebook): Promise<Looked> {
  const from = now()
  const response = await mount.fetch('/api/events')
  const saw = seen(await response.json())
  if (response.status !== 200) throw new Error(`a reader of ${name} got ${response.status}`)
  const stale = response.headers.has('placard-stale')
  const looked: Looked = { kind: 'look', node: name, from, to: now(), saw, stale }
  note(looked)
  return looked
}

/** Opens a page, which records everything that it receives until it is closed. */
export async function openPage({ name, mount }: Node, { now, note }: Notebook): Promise<Page> {
  const from = now()
  const { response, next, stop } = await follow(mount)
  if (response.status !== 200) throw new Error(`a stream of ${name} got ${response.status}`)
  const stale = response.headers.has('placard-stale')
  let last: Looked | undefined
  const watch = async () => {
    for (;;) {
      const saw = seen((await next()).body)
      last = { kind: 'look', node: name, from, to: now(), saw, stale, follows: last }
      note(last)
    }
  }
  // It rejects when the stream ends.
  watch().catch(() => {})
  return { node: name, latest: () => last?.saw, close: () => void stop() }
}

/** The first byte of an `alive` event. */
const ALIVE = 'e'.charCodeAt(0)

/** Pages that record nothing. Notifying all of them takes several turns of the event loop. */
export function openCrowd({ name, mount }: Node, size: number): Page[] {
  return Array.from({ length: size }, () => {
    let last: Uint8Array | undefined
    const write = (chunk: Uint8Array) => {
      if (chunk[0] !== ALIVE) last = chunk
    }
    const close = mount.placard.streams.open({ write, waiting: () => 0, close() {} })
    const latest = () =>
      last ? seen(JSON.parse(dataOf(new TextDecoder().decode(last)) ?? '')) : undefined
    return { node: name, latest, close }
  })
}

/** Readers who come and go while others act, without waiting for each other. */
export async function visitors(
  node: Node,
  notebook: Notebook,
  acting: Promise<unknown>,
): Promise<void> {
  let over = false
  const end = () => {
    over = true
  }
  acting.then(end, end)
  const visits: Promise<unknown>[] = []
  for (; !over; await sleep(VISIT_MS)) {
    const visit = look(node, notebook)
    // A failure is reported below, when all are done.
    visit.catch(() => {})
    visits.push(visit)
  }
  await Promise.all(visits)
}

const VISIT_MS = 30

interface Habits {
  /** How long it waits between two actions, at most. */
  pauseMs: number
  /** Whether it continues. */
  goesOn(done: number): boolean
}

/** One client. It publishes, withdraws, reads and follows the stream, and records all of that. */
export async function client(
  name: string,
  node: Node,
  notebook: Notebook,
  random: Random,
  { pauseMs, goesOn }: Habits,
): Promise<Page[]> {
  const { now, note } = notebook
  const { mount } = node
  const known: { id: string; text: string }[] = []
  const pages: Page[] = []
  let published = 0

  /** When the response arrived, or infinity if the outcome is unknown. */
  const answered = ({ status }: Response, success: number) => {
    if (status !== success && status !== 503)
      throw new Error(`a writer on ${node.name} got ${status}`)
    return status === success ? now() : Number.POSITIVE_INFINITY
  }

  const deeds: Record<string, () => Promise<void>> = {
    async publish() {
      const [text, type] = [`${name}.${++published}`, oneOf(random, ANNOUNCEMENT_TYPES)]
      const from = now()
      const response = await publish(mount, { text, type, slug: '/' })
      const to = answered(response, 201)
      const id = response.headers.get('placard-event-id') ?? undefined
      if (id) known.push({ id, text })
      note({ kind: 'publish', node: node.name, from, to, text, type, id })
    },
    async withdraw() {
      const one = random() < 0.4 ? known.at(-1) : undefined
      const type = oneOf(random, ANNOUNCEMENT_TYPES)
      const from = now()
      const response = await withdraw(mount, one ? { id: one.id } : { type })
      const to = answered(response, 200)
      const { deleted } = await response.json()
      const what = one ? { text: one.text } : { type }
      note({ kind: 'withdraw', node: node.name, from, to, what, deleted })
    },
    async read() {
      const { saw } = await look(node, notebook)
      if (saw) known.push(saw)
    },
    async follow() {
      if (pages.length > 0 && random() < 0.5) pages.shift()?.close()
      else pages.push(await openPage(node, notebook))
    },
  }
  const day = ['publish', 'publish', 'withdraw', 'read', 'read', 'follow']

  for (let done = 0; goesOn(done); done++) {
    // The machine's clock is wrong, and differently each time (contract R1).
    mount.clock.set(START + Math.floor(random() * 2_000))
    await deeds[oneOf(random, day)]?.()
    if (pauseMs > 0) await sleep(random() * pauseMs)
  }
  return pages
}

const START = Date.UTC(2027, 0, 1)
