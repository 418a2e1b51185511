import type { Child } from 'hono/jsx'
import type { Author } from '../commands.ts'
import { pickAt } from '../core/board.ts'
import { isScheduled } from '../core/history.ts'
import { fill } from '../core/messages.ts'
import { type Issue, Problem } from '../core/problem.ts'
import { parsed, parsePosting, parseSelector, undoing } from '../core/schema.ts'
import { undo } from '../http/history.ts'
import type { ServiceParts } from '../http/service-parts.ts'
import { html } from './answers.ts'
import { stampOf, stillAs } from './draft/conflict.ts'
import { evaluateDraft } from './draft/evaluate.ts'
import { draftFields, fieldsOf } from './draft/fields.ts'
import type { Pages } from './pages.tsx'
import { readForm } from './request.ts'
import { Compose } from './views/compose.tsx'
import { Seen, titleOf } from './views/conflict-notice.tsx'
import { Press, Said } from './views/controls.tsx'
import { reasonOf } from './views/history.tsx'
import { Time } from './views/time.tsx'
import type { Visit } from './visit.ts'
import { saidOf, type Words } from './words.ts'

/** Handles a signed-in person's writes, using the API's rate limiter and commands (contract O4). */
export function createActions(service: ServiceParts, base: string, pages: Pages) {
  const { commands, store, clock, guard } = service

  /**
   * Counts a write against the rate limit, runs it, and responds with the result (contract A1, R8).
   *
   * @param shown renders the parts of the page that the write changes, once the write is stored
   */
  async function write(
    visit: Visit,
    work: (author: Author) => Promise<Child>,
    shown: () => Promise<Child>,
    refused: (status: number, notice: Child, issues: readonly Issue[]) => Promise<Response>,
  ): Promise<Response> {
    let headers: Record<string, string> = {}
    let response: Response
    const { name } = visit
    const author: Author = { by: { via: 'admin', ...(name !== null && { name }) } }
    const stored = async (notice: Child) => html([notice, await shown()])
    try {
      headers = await guard.count(visit.address)
      response = await stored(await work(author))
    } catch (error) {
      const { status, text, issues, problem } = explain(error, visit.words)
      const notice = <Said kind="fault" text={text} />
      visit.info.failed(problem)
      headers = { ...headers, ...problem.headers }
      const isStored = problem.code === 'not_purged'
      response = isStored ? await stored(notice) : await refused(status, notice, issues)
    }
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    return response
  }

  /** The notice after a write, with an undo button if the write changed anything. */
  function done(words: Words, key: keyof Words['done'], entry?: number, time?: Child) {
    const undo = entry !== undefined && (
      <Press base={base} path="undo" id={String(entry)} label={words.history.undo} />
    )
    return <Said kind="done" text={words.done[key]} more={undo} time={time} />
  }

  /** Creates the handler of a button that acts immediately: it runs the action and responds with a notice. */
  const press =
    (work: (form: URLSearchParams, author: Author, words: Words) => Promise<Child>) =>
    async (visit: Visit): Promise<Response> => {
      const form = await readForm(visit.request)
      const shown = () => pages.shown(visit, form.get('view') === 'history')
      return write(
        visit,
        (author) => work(form, author, visit.words),
        shown,
        async (status, notice) => html([notice, status === 412 && (await shown())], status),
      )
    }

  return {
    async publish(visit: Visit): Promise<Response> {
      const { words } = visit
      const typed = { ...fieldsOf(await readForm(visit.request)), refused: true }
      const { evaluation, expects } = await evaluateDraft(service, visit, typed)
      const { fields, reading, issues, conflict, edits, now } = evaluation
      const refuse = async (status: number, notice: Child, more: readonly Issue[] = []) => {
        const judged = { ...evaluation, issues: more.length > 0 ? more : issues }
        return html([notice, <Compose key="compose" {...judged} base={base} />], status)
      }
      if (issues.length > 0) {
        return refuse(422, <Said kind="fault" text={words.faults.title} />)
      }
      // Once the page has shown the author a conflict, the next attempt may overwrite other people's changes.
      if (conflict && !conflict.isTold) {
        return refuse(412, <Said kind="fault" text={titleOf(conflict, words)} />)
      }
      const posting = parsePosting(reading.input, now)
      return write(
        visit,
        async (who) => {
          const author = { ...who, expects }
          const before = (await store.load()).scheduled.find(({ id }) => id === fields.id)
          const { announcement: after, entry } = edits
            ? await commands.edit(fields.id, posting, author)
            : await commands.publish(posting, author)
          const isLater = isScheduled(after)
          const isMoved = isLater && before !== undefined && before.startsAt !== after.startsAt
          const isNew = isLater ? !edits : edits !== 'up'
          const put = isLater ? 'scheduled' : 'published'
          const key = isMoved ? 'moved' : isNew ? put : 'saved'
          const time = isMoved && <Time at={after.startsAt} words={words} />
          return done(words, key, entry, time)
        },
        async () => [
          await pages.composer(visit, draftFields(null, clock.now(), words.zone)),
          await pages.shown(visit),
        ],
        refuse,
      )
    },

    withdraw: press(async (form, author, words) => {
      const id = form.get('id') ?? ''
      const was = form.get('was')
      const expects = was === null ? undefined : stillAs(id, was)
      const isLater = (await store.load()).scheduled.some((one) => one.id === id)
      const selector = parseSelector({ id })
      const { deleted, entry } = await commands.withdraw(selector, { ...author, expects })
      if (deleted === 0) return done(words, 'nothing')
      return done(words, isLater ? 'unscheduled' : 'withdrawn', entry)
    }),

    undo: press(async (form, author, words) => {
      const { id: undone = null } = parsed(undoing, { id: form.get('id') ?? '' })
      const { entry, before, after } = await undo(service, undone, author)
      // If the undo returned the announcement to the schedule, there is no redo: the person can only publish it again.
      const isTaken = before && after && isScheduled(after) && !isScheduled(before)
      const view = form.get('view') === 'history' && 'history'
      const redoes = !form.has('redoes')
      const label = words.history[redoes ? 'redo' : 'undo']
      const back = !isTaken && (
        <Press {...{ base, path: 'undo', id: String(entry), view, redoes, label }} />
      )
      const what = fill(words.done[after ? 'restored' : 'removed'], {
        text: (after ?? before)?.text ?? '',
      })
      // A restored announcement keeps its old timestamp, so a newer announcement may hide it.
      const live = pickAt(await store.load(), clock.now())
      const isHidden = after && !isScheduled(after) && live && live.id !== after.id
      const text = isHidden ? `${what} ${words.now.waits[live.type]}` : what
      const seen = form.get('seen')
      return (
        <>
          <Said kind="done" text={text} more={back} />
          {/* Without the restored announcement's stamp, the open draft would report a conflict (contract A17). */}
          {seen !== null && after && <Seen value={`${stampOf(after)} ${seen}`} />}
        </>
      )
    }),
  }
}

/** Explains to a person why a write was refused. @throws an error that isn't a refusal; the caller logs it */
function explain(error: unknown, words: Words) {
  const problem = Problem.from(error)
  const { status, details } = problem
  if (status === 500) throw error
  const { faults, reasons, history } = words
  const noUndo: Record<string, string> = history.noUndo
  const issues = (details.issues as readonly Issue[] | undefined) ?? []
  const reason = String(details.reason ?? '')
  const texts: Record<number, string> = {
    400: faults.title,
    404: faults.gone,
    409: Object.hasOwn(reasons, reason)
      ? fill(faults.undoRefused, { why: reasonOf(reason, words) })
      : `${noUndo[reason] ?? history.noUndo.changed_since}.`,
    412: faults.changed,
    429: fill(faults.tooMany, { seconds: Number(details.retryAfter ?? 1) }),
    503: problem.code === 'not_purged' ? faults.stored : faults.unavailable,
  }
  const said = issues.map((issue) => saidOf(issue, words))
  const text = said.join(' ') || (texts[status] ?? faults.unknown)
  return { status: status === 400 ? 422 : status, text, issues, problem }
}
