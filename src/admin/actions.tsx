/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { Author } from '../commands.ts'
import { isScheduled } from '../core/history.ts'
import { fill } from '../core/messages.ts'
import { type Issue, Problem } from '../core/problem.ts'
import { parsePosting } from '../core/schema.ts'
import { readHistory, type ToldEntry, undo } from '../http/history.ts'
import type { Internals } from '../internals.ts'
import type { Html } from './answers.ts'
import { seenIn } from './conflict.ts'
import type { Visit } from './door.tsx'
import { draftFields, fieldsOf, readForm } from './form.ts'
import { outcomeOf } from './outcome.ts'
import type { Pages } from './pages.tsx'
import { Seen, titleOf } from './views/conflict.tsx'
import { reasonOf } from './views/history.tsx'
import { Judged } from './views/judged.tsx'
import { type NoticeProps, Said } from './views/notice.tsx'
import { Press } from './views/rows.tsx'
import { Time } from './views/time.tsx'
import { saidOf, type Words } from './words.ts'

/** What is done can be undone from its notice, so the entry that tells of it is looked for among so many. */
const RECENT = 5

type Done = Exclude<keyof Words['done'], 'useless'>

/** What a person who is signed in may do: what the API may, counted and written by the same functions (contract O4). */
export function createActions(
  { service, guard }: Pick<Internals, 'service' | 'guard'>,
  { html, base, pages }: { html: Html; base: string; pages: Pages },
) {
  const { commands, store, clock } = service

  const authorOf = ({ session, name }: Visit): Author => ({
    by: { via: 'admin', ...(name !== null && { name: name ?? session.name }) },
  })

  /** Counts a write, makes it, and answers with what came of it (contract A1, R8). */
  async function write(
    visit: Visit,
    work: (author: Author) => Promise<Child>,
    refused: (status: number, notice: Child, issues: readonly Issue[]) => Promise<Response>,
  ): Promise<Response> {
    let headers: Record<string, string> = {}
    let response: Response
    try {
      headers = await guard.count(visit.address)
      response = html(<div>{await work(authorOf(visit))}</div>)
    } catch (error) {
      const { status, text, issues, problem } = explain(error, visit.words)
      visit.info.failed(problem)
      headers = { ...headers, ...problem.headers }
      response = await refused(status, <Said kind="fault" text={text} />, issues)
    }
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    return response
  }

  /** The entry that tells of a change that was just made. */
  async function entryAbout(id: string): Promise<ToldEntry | undefined> {
    const { entries } = await readHistory(service, RECENT)
    return entries.find(({ before, after }) => after?.id === id || before?.id === id)
  }

  /** What was done, and the way back. */
  function done(words: Words, key: Done, entry?: ToldEntry, rest: Partial<NoticeProps> = {}) {
    const undo = entry?.undo === 'possible' && (
      <Press base={base} path="undo" id={String(entry.id)} label={words.history.undo} />
    )
    return <Said kind="done" text={words.done[key]} more={undo} {...rest} />
  }

  /** Does what a button of a row says, and shows what came of it where the button is. */
  const press =
    (work: (form: URLSearchParams, author: Author, words: Words) => Promise<Child>) =>
    async (visit: Visit): Promise<Response> => {
      const form = await readForm(visit.request)
      return write(
        visit,
        async (author) => (
          <>
            {await work(form, author, visit.words)}
            {await pages.shown(visit, form.get('view') === 'history')}
          </>
        ),
        async (status, notice) => html(<div>{notice}</div>, status),
      )
    }

  return {
    async publish(visit: Visit): Promise<Response> {
      const { words } = visit
      const typed = { ...fieldsOf(await readForm(visit.request)), refused: true }
      const { preview, expects } = await outcomeOf(service, visit, typed)
      const { fields, reading, issues, conflict, edits, now } = preview
      const refuse = (status: number, notice: Child, more: readonly Issue[] = []) => {
        const judged = { ...preview, issues: more.length > 0 ? more : issues }
        const parts = (
          <div>
            {notice}
            <Judged {...judged} base={base} />
          </div>
        )
        return html(parts, status)
      }
      if (Object.keys(reading.faults).length > 0 || issues.length > 0) {
        return refuse(422, <Said kind="fault" text={words.faults.title} />)
      }
      // Once they are told what others did, the next attempt may replace that.
      if (conflict && !conflict.isTold) {
        return refuse(412, <Said kind="fault" text={titleOf(conflict, words)} />)
      }
      const posting = parsePosting(reading.input, now)
      return write(
        visit,
        async ({ by }) => {
          const author = { by, expects }
          const before = (await store.load()).scheduled.find(({ id }) => id === fields.id)
          const after = edits
            ? await commands.edit(fields.id, posting, author)
            : await commands.publish(posting, author)
          const isLater = isScheduled(after)
          const isMoved = isLater && before !== undefined && before.startsAt !== after.startsAt
          const isNew = isLater ? !edits : edits !== 'up'
          const put = isLater ? 'scheduled' : 'published'
          const key = isMoved ? 'moved' : isNew ? put : 'saved'
          const time = isMoved && <Time at={after.startsAt} words={words} />
          return (
            <>
              {done(words, key, await entryAbout(after.id), { time })}
              {await pages.composer(visit, draftFields(null, clock.now()))}
              {await pages.shown(visit)}
            </>
          )
        },
        async (...refused) => refuse(...refused),
      )
    },

    withdraw: press(async (form, author, words) => {
      const id = form.get('id') ?? ''
      const { deleted } = await commands.withdraw({ id }, author)
      const entry = deleted > 0 ? await entryAbout(id) : undefined
      if (!entry) return done(words, 'nothing')
      const isScheduledOne = entry.before !== null && isScheduled(entry.before)
      return done(words, isScheduledOne ? 'unscheduled' : 'withdrawn', entry)
    }),

    undo: press(async (form, author, words) => {
      const { entry, before, after } = await undo(service, Number(form.get('id')), author)
      const { entries } = await readHistory(service, RECENT)
      const told = entries.find(({ id }) => id === entry)
      const redo = told?.undo === 'possible' && (
        <Press base={base} path="undo" id={String(entry)} label={words.history.redo} />
      )
      const what = fill(words.done[after ? 'restored' : 'removed'], {
        text: (after ?? before)?.text ?? '',
      })
      const seen = form.get('seen')
      return (
        <>
          <Said kind="done" text={what} more={redo} />
          {/* Nobody has to hear of what they did themselves (contract A17). */}
          {seen !== null && after && !isScheduled(after) && (
            <Seen value={`${seenIn({ events: [after] })} ${seen}`} />
          )}
        </>
      )
    }),
  }
}

/** What a refusal means for a person. @throws what is none, which is to be logged */
function explain(error: unknown, words: Words) {
  const problem = Problem.from(error)
  const { status, details } = problem
  if (status === 500) throw error
  const { faults, reasons } = words
  const issues = (details.issues as readonly Issue[] | undefined) ?? []
  const reason = String(details.reason ?? '')
  const texts: Record<number, string> = {
    400: faults.title,
    404: faults.gone,
    409: Object.hasOwn(reasons, reason)
      ? fill(faults.undoRefused, { why: reasonOf(reason, words) })
      : faults.undoChanged,
    412: fill(words.conflict.other, { name: words.conflict.somebody }),
    429: fill(faults.tooMany, { seconds: Number(details.retryAfter ?? 1) }),
    503: faults.unavailable,
  }
  const said = issues.map((issue) => saidOf(issue, words))
  const text = said.join(' ') || (texts[status] ?? faults.unknown)
  return { status: status === 400 ? 422 : status, text, issues, problem }
}
