import type { Client } from '../client/client.ts'
import type { WireAnnouncement, WireScheduled } from '../core/announcement.ts'
import { draftFields, type Fields } from './form.ts'

/**
 * What the composer starts with: what a link of the page asks for, or nothing.
 *
 * @param now milliseconds since 1970
 * @returns `null` for what is gone
 */
export async function draftFor(
  api: Client,
  query: URLSearchParams,
  now: number,
): Promise<Fields | null> {
  const [edit, entry, slot] = ['edit', 'entry', 'slot'].map((name) => query.get(name))
  let one: WireAnnouncement | WireScheduled | null | undefined
  if (edit) one = (await api.scheduled()).find(({ id }) => id === edit)
  else if (slot) one = (await api.slots()).find(({ type }) => type === slot)
  else if (entry && /^\d{1,14}$/.test(entry)) {
    const { entries } = await api.history({ limit: 1, before: String(Number(entry) + 1) })
    const [found] = entries
    if (found?.id === entry) one = found.after ?? found.before
  }
  if (!one && (edit || entry || slot)) return null
  // What only serves as a model, from the history, stays as it is.
  return draftFields(one ?? null, (!entry && one?.id) || '', now)
}
