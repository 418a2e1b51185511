/**
 * Tags that say when a rendering began, for processes that share no count of changes.
 *
 * Next dates a page by the end of its rendering, so a page that was being rendered during a change passes for new. A change
 * therefore also drops what was begun shortly before it, a little later. What was begun shortly after is dropped with it,
 * which costs a rendering.
 */
import { TAG } from '../commands.ts'

/** Longer than a rendering takes and clocks are apart. */
const SLOT_MS = 30_000
/** The names start again after 50 min, so that Next's list of tags stays short. */
const SLOTS = 100

/** The tag of what is begun now, for each time at which it may be dropped: seconds after a change. */
export function slotTags(now: number, lates: readonly number[]): string[] {
  return lates.map((late) => tagOf(slotOf(now), late))
}

/** The tags of what may have been begun before a change of now, and ended after it. */
export function slotsAround(now: number, late: number): string[] {
  return [-1, 0, 1].map((step) => tagOf(slotOf(now) + step, late))
}

const slotOf = (now: number) => Math.floor(now / SLOT_MS)
const tagOf = (slot: number, late: number) => `${TAG}@${slot % SLOTS}+${late}`
