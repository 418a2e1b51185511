import type { Announcement, Scheduled } from '../core/announcement.ts'
import { advance } from '../core/board.ts'
import type { Service } from '../http/service.ts'
import { stampOf } from './conflict.ts'
import { draftFields, type Fields } from './form.ts'

/**
 * The composer's initial fields, by the link that opened the page.
 *
 * @returns `null` if the announcement is gone
 */
export async function draftFor(
  { store, clock }: Pick<Service, 'store' | 'clock'>,
  query: URLSearchParams,
  zone: string | undefined,
): Promise<Fields | null> {
  const [edit, copy, entry] = ['edit', 'copy', 'entry'].map((name) => query.get(name))
  const now = clock.now()
  if (!edit && !copy && !entry) return draftFields(null, now, zone)
  let one: Announcement | Scheduled | null | undefined
  if (entry) {
    if (!/^\d{1,14}$/.test(entry)) return null
    const [found] = await store.history(1, Number(entry) + 1)
    if (String(found?.id) === entry) one = found?.after ?? found?.before
  } else {
    const { events, scheduled } = advance(await store.load(), now).board
    one = [...events, ...scheduled].find(({ id }) => id === (edit || copy))
  }
  if (!one) return null
  const fields = draftFields(one, now, zone)
  // Only an edit needs the stamp of the announcement.
  return edit ? { ...fields, id: one.id, was: stampOf(one) } : fields
}
