/** @jsxImportSource hono/jsx */
import type { Client } from '../client/client.ts'
import type { HistoryAction } from '../core/history.ts'
import type { Visit } from './door.tsx'
import { Press } from './views/rows.tsx'
import type { Notice } from './views/shell.tsx'
import { Time } from './views/time.tsx'

/** The entries of the history that a form leaves, by what it did. Each can be undone at once. */
const ENTRIES: Record<string, readonly HistoryAction[]> = {
  published: ['published', 'replaced'],
  scheduled: ['scheduled'],
  moved: ['edited'],
  saved: ['edited'],
  withdrawn: ['withdrawn'],
  unscheduled: ['withdrawn'],
}

/** What has just been done, as the address says after a form, and what undoes it. */
export async function noticeIn(
  query: URLSearchParams,
  { visit, base, api }: { visit: Visit; base: string; api: Client },
): Promise<Notice | undefined> {
  const { words, session } = visit
  const done = query.get('done')
  if (done === null || !Object.hasOwn(words.done, done)) return undefined
  // Until it is known where to, it is only saved.
  const key = done === 'moved' ? 'saved' : (done as keyof typeof words.done)
  let notice: Notice = { kind: 'done', text: words.done[key] }
  const entries = ENTRIES[done]
  if (!entries) return notice
  const [newest] = (await api.history({ limit: 1 })).entries
  // Anybody can make up an address, so it offers nothing but what this person did last.
  const isOwn = newest?.by.via === 'admin' && newest.by.name === (session.name ?? undefined)
  if (!isOwn || !entries.includes(newest.action)) return notice
  const { after } = newest
  if (done === 'moved' && after && 'startsAt' in after) {
    const time = <Time at={Number(after.startsAt)} words={words} />
    notice = { ...notice, text: words.done.moved, time }
  }
  if (newest.undo !== 'possible') return notice
  const { undo } = words.history
  const more = <Press base={base} path="undo" id={newest.id} label={undo} view="announcement" />
  return { ...notice, more }
}
