import type { AnnouncementType } from '../../src/core/fields.ts'
import { check, type Step } from './checker.ts'
import { type Action, announcements } from './model.ts'

/** Where and when, in milliseconds on one clock. A request without a response has no end. */
interface When {
  node: string
  from: number
  to: number
}

/** An announcement as it was seen. */
export interface Seen {
  id: string
  text: string
  type: AnnouncementType
  timestamp: number
}

export type Published = When & {
  kind: 'publish'
  text: string
  type: AnnouncementType
  id: string | undefined
}
export type Withdrawn = When & {
  kind: 'withdraw'
  what: { type: AnnouncementType } | { text: string }
  deleted: number | undefined
}
/** A response to a reader, or a message to an open page. */
export type Looked = When & {
  kind: 'look'
  saw: Seen | null
  /** It was marked as the last known state. */
  stale: boolean
  /** The message before it on the same stream. */
  follows?: Looked | undefined
}
/** Everything that is stored, newest first, read from the database itself. */
export type Listed = When & { kind: 'list'; saw: readonly Seen[] }

export type Noted = Published | Withdrawn | Looked | Listed

/** What {@link faultIn} returns if too many requests have no answer to try every order. */
export const UNDECIDED = 'too many orders are possible: nothing was decided'

/**
 * What is wrong with a history, in words; `undefined` if the contract allows it.
 *
 * @param lagMs how long after the response to a write the other nodes may take to show it (contract R3)
 */
export function faultIn(history: readonly Noted[], lagMs: number): string | undefined {
  const sightings = history.flatMap((step) => ('saw' in step ? [step.saw ?? []].flat() : []))
  const known = new Map(sightings.map((seen) => [seen.text, seen]))
  const contradiction = contradictionIn(history, sightings, known)
  if (contradiction) return contradiction

  const timestampOf = (step: Noted) =>
    step.kind === 'publish' ? known.get(step.text)?.timestamp : undefined
  // Steps that ended first are tried first.
  const steps = history.toSorted((one, other) => one.to - other.to || one.from - other.from)
  const verdict = check(
    steps.map((step): Step<Action> => {
      const timestamp = timestampOf(step)
      const isBefore = (one: Noted) => {
        const earlier = timestamp === undefined ? undefined : timestampOf(one)
        return earlier === undefined ? precedes(one, step, lagMs) : earlier < Number(timestamp)
      }
      return {
        action: actionOf(step, timestamp),
        after: [...steps.keys()].filter((place) => isBefore(steps[place] as Noted)),
        // An unanswered publication certainly happened if somebody saw it.
        certain: step.to !== Number.POSITIVE_INFINITY || timestamp !== undefined,
      }
    }),
    announcements,
  )
  if (verdict.is === 'possible') return undefined
  if (verdict.is === 'undecided') return UNDECIDED
  const lines = (places: readonly number[]) =>
    places.map((place) => `  ${inWords(steps[place] as Noted)}`)
  const up = verdict.state.up.map(({ text, type }) => `${text} (${type})`)
  return [
    `No order of all that happened is possible. The longest has ${verdict.order.length} of ${steps.length} steps:`,
    ...lines(verdict.order.slice(-8)),
    `After it, this is up, newest first: ${up.join(', ') || 'nothing'}. What comes next:`,
    ...lines(verdict.next),
  ].join('\n')
}

/**
 * Whether one step certainly took effect before another. By contract R3, a node shows the writes that it has
 * responded to, shows other nodes' writes a while later or marks its response, and never goes back.
 */
function precedes(one: Noted, other: Noted, lagMs: number): boolean {
  if (other.kind !== 'look') return one.to < other.from
  if (other.follows) return one === other.follows
  if (one.node === other.node) return one.to < other.from
  return one.kind !== 'look' && !other.stale && one.to + lagMs < other.from
}

function actionOf(step: Noted, timestamp: number | undefined): Action {
  const { kind } = step
  if (kind === 'look') return { kind, text: step.saw?.text ?? null }
  if (kind === 'list') return { kind, texts: step.saw.map(({ text }) => text) }
  if (kind === 'withdraw') return { kind, what: step.what, deleted: step.deleted }
  const { type, to } = step
  const lost = to === Number.POSITIVE_INFINITY && timestamp === undefined
  return { kind, type, timestamp, text: lost ? `a ${type} that nobody saw` : step.text }
}

/** Checks that an announcement is the same wherever it is seen, was published, and has its timestamp in order. */
function contradictionIn(
  history: readonly Noted[],
  sightings: readonly Seen[],
  known: ReadonlyMap<string, Seen>,
): string | undefined {
  const published = history.filter((step) => step.kind === 'publish')
  const by = new Map(published.map((step) => [step.text, step]))
  for (const seen of sightings) {
    const { text, id, type, timestamp } = seen
    const step = by.get(text)
    if (!step) return `${text} was seen and never published`
    const other = known.get(text)
    if (
      step.type !== type ||
      (step.id ?? id) !== id ||
      other?.id !== id ||
      other.timestamp !== timestamp
    ) {
      return `${inWords(step)}, and seen as ${JSON.stringify(seen)} and ${JSON.stringify(other)}`
    }
  }
  const inOrder = [...known.values()].toSorted((one, other) => one.timestamp - other.timestamp)
  for (const [place, seen] of inOrder.entries()) {
    const later = inOrder.slice(place + 1)
    const wrong = later.find(({ text, timestamp }) => {
      const [first, second] = [by.get(text), by.get(seen.text)] as [Published, Published]
      return timestamp === seen.timestamp || first.to < second.from
    })
    if (wrong)
      return `the timestamps are out of order (contract R1): ${JSON.stringify([seen, wrong])}`
  }
  return undefined
}

/** One line for a person who investigates a fault. */
export function inWords(step: Noted): string {
  const to = step.to === Number.POSITIVE_INFINITY ? 'no answer' : step.to.toFixed(1)
  return `${step.from.toFixed(1)} to ${to} ms, ${step.node}: ${whatOf(step)}`
}

function whatOf(step: Noted): string {
  const named = (seen: Seen | null) =>
    seen ? `${seen.text} (${seen.type}, ${seen.timestamp})` : 'nothing'
  switch (step.kind) {
    case 'publish':
      return `published ${step.text} (${step.type})`
    case 'withdraw':
      return `withdrew ${Object.values(step.what)[0]}, ${step.deleted ?? 'who knows how many'} deleted`
    case 'list':
      return `held ${step.saw.map(named).join(', ') || 'nothing'}`
    case 'look': {
      const { saw, stale, follows } = step
      const after = follows ? `, on a stream after ${named(follows.saw)}` : ''
      return `showed ${named(saw)}${stale ? ', marked as stale' : ''}${after}`
    }
  }
}
