import type { WireHistoryEntry } from '../src/core/history.ts'

/** The writes sent since the last check, in order, each with whether it was acknowledged. */
export type Sent = Map<string, boolean>

/** Describes a write's effect on the slot of its type, for comparison with the history; `null` if it has no effect. */
export function deedOf(standing: string | null, leads: string | null): string | null {
  if (leads !== null) return `put up ${leads}`
  return standing === null ? null : `took down ${standing}`
}

/** Compares a service's history, from where the last check ended, with a record of what was sent to it. */
export function createHistoryCheck(url: string, secret: string) {
  let seen = 0
  let compared = 0

  /** Returns the new entries, oldest first. */
  async function unseen(): Promise<WireHistoryEntry[]> {
    const found: WireHistoryEntry[] = []
    let before = ''
    for (;;) {
      const address = `${url}/api/events/history?limit=100${before}`
      const response = await fetch(address, { headers: { Authorization: `Bearer ${secret}` } })
      if (!response.ok) throw new Error(`history: ${response.status} ${await response.text()}`)
      const { entries, next } = (await response.json()) as {
        entries: WireHistoryEntry[]
        next: string | null
      }
      found.push(...entries.filter(({ id }) => Number(id) > seen))
      if (next === null || Number(next) <= seen + 1) return found.toReversed()
      before = `&before=${next}`
    }
  }

  return {
    compared: () => compared,

    /** Describes what is wrong with the history, and empties `sent`. */
    async faults(sent: Sent): Promise<string[]> {
      const entries = await unseen()
      const deeds = entries.map(({ before, after }) =>
        String(deedOf(before?.text ?? null, after?.text ?? null)),
      )
      const found = entries.flatMap(({ id }, index) =>
        Number(id) === seen + index + 1 ? [] : [`entry ${id} does not follow the one before it`],
      )
      const told = new Set(deeds)
      if (told.size < deeds.length) found.push('the history has an entry twice')
      for (const deed of told) if (!sent.has(deed)) found.push(`nobody ${deed}`)
      for (const [deed, acknowledged] of sent) {
        if (acknowledged && !told.has(deed)) found.push(`the history does not have: ${deed}`)
      }
      seen += entries.length
      compared += deeds.length
      sent.clear()
      return found
    },
  }
}
