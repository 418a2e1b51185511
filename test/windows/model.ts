import type { WireAnnouncement } from '../../src/core/announcement.ts'
import type { AnnouncementType } from '../../src/core/fields.ts'

/** One announcement: what was requested, and when it was taken down. All instants are milliseconds since 1970. */
export interface Window {
  id: string
  text: string
  type: AnnouncementType
  /** When it becomes the event of its type. */
  from: number
  /** Its own end, or infinity. */
  until: number
  /** A start comes before a publication at the same instant. */
  scheduled: boolean
  /** When somebody took it down, or infinity. */
  removed: number
}

export type Fault = 'early' | 'late' | 'returned' | 'other'

/**
 * What is live at an instant, by a single rule: the last announcement to become its type's event remains that event,
 * even after its end. Of the types' events that haven't ended, the last one is live (spec 1, contract A9, A14).
 *
 * @param windows in the order of posting
 */
export function modelAt(windows: readonly Window[], at: number) {
  const begun = windows
    .filter(({ from, removed }) => from <= at && from <= removed)
    .toSorted((a, b) => a.from - b.from || Number(b.scheduled) - Number(a.scheduled))
  const inPlace = new Map(begun.map((window) => [window.type, window]))
  const isOver = ({ until, removed }: Window) => Math.min(until, removed) <= at
  const standing = begun.filter((window) => inPlace.get(window.type) === window && !isOver(window))
  const shows = standing.at(-1)
  let last = 0
  for (const window of begun.slice(0, shows && begun.indexOf(shows) + 1)) {
    last = Math.max(window.from, last + 1)
  }

  return {
    standing,
    event: shows ? wireOf(shows, last) : null,

    /** What is wrong with showing this announcement, if anything. */
    faultIn(shown: WireAnnouncement | null): Fault | undefined {
      if (JSON.stringify(shown) === JSON.stringify(this.event)) return undefined
      const window = windows.find(({ id }) => id === shown?.id)
      if (window === shows) return 'other'
      if (window && window.from > at) return 'early'
      const replacement = window && inPlace.get(window.type)
      return replacement && replacement !== window && isOver(replacement) ? 'returned' : 'late'
    },
  }
}

function wireOf({ id, text, type, until }: Window, timestamp: number): WireAnnouncement {
  const end = until === Number.POSITIVE_INFINITY ? {} : { expiresAt: String(until) }
  return { id, text, type, slug: '/', timestamp: String(timestamp), ...end }
}
