import { advance } from '../board.ts'
import type { Client } from '../client.ts'
import { boardFrom, undoRefusalOf } from './board.ts'
import type { Visit } from './door.tsx'
import { Press } from './views/rows.tsx'
import type { Notice } from './views/shell.tsx'

/** What has just been done, as the address says after a form. What was taken down can be put back at once. */
export async function noticeIn(
  query: URLSearchParams,
  { visit, base, api, now }: { visit: Visit; base: string; api: Client; now: number },
): Promise<Notice | undefined> {
  const { words, session } = visit
  const done = query.get('done')
  if (done === null || !Object.hasOwn(words.done, done)) return undefined
  const notice: Notice = { kind: 'done', text: words.done[done as keyof typeof words.done] }
  if (done !== 'withdrawn' && done !== 'unscheduled') return notice
  const [newest] = (await api.history({ limit: 1 })).entries
  // Anybody can make up an address, so it offers nothing but what this person did last.
  const isOwn = newest?.by.via === 'admin' && newest.by.name === (session.name ?? undefined)
  if (!isOwn || newest.action !== 'withdrawn') return notice
  if (undoRefusalOf(newest, advance(await boardFrom(api), now).board, now)) return notice
  const { undo } = words.history
  return { ...notice, more: <Press base={base} path="undo" id={newest.id} label={undo} /> }
}
