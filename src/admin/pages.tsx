/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import { iconsLike } from '../bar/icon.ts'
import { advance } from '../core/board.ts'
import { checksum } from '../core/checksum.ts'
import { invalidBody, issueAt } from '../core/messages.ts'
import type { Issue } from '../core/problem.ts'
import { NO_STORE } from '../http/answer.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import type { Html } from './answers.ts'
import { apiFor } from './api.ts'
import { boardFrom } from './as-board.ts'
import { newestIn } from './conflict.ts'
import type { Visit } from './door.tsx'
import { draftFor } from './drafts.ts'
import { draftFields, type Fields, fieldsOf, readForm } from './form.ts'
import { noticeIn } from './notice.tsx'
import { outcomeOf } from './outcome.ts'
import { Compose, ComposeTitle } from './views/compose.tsx'
import { ConflictNote } from './views/conflict.tsx'
import { FAULTY, FieldFaults } from './views/faults.tsx'
import { History, stateOf } from './views/history.tsx'
import { Icons } from './views/icons.tsx'
import { Ahead, Next } from './views/next.tsx'
import { Now } from './views/now.tsx'
import { Preview } from './views/preview.tsx'
import { type Notice, Shell, type ViewName } from './views/shell.tsx'
import { Show } from './views/show.tsx'
import { OnYourSite } from './views/site.tsx'
import { LanguageNames } from './views/translations.tsx'
import { Verdict } from './views/verdict.tsx'

export interface PagesOptions {
  placard: Placard
  html: Html
  base: string
  /** The file that the API secret is in, if it is in one. */
  secretFile: string | undefined
}

interface PageOptions {
  notice?: Notice | undefined
  status?: number | undefined
}

interface AnnouncementOptions extends PageOptions {
  at?: number | undefined
  issues?: readonly Issue[] | undefined
}

interface HistoryOptions extends PageOptions {
  /** The id that all of its entries come before. */
  older?: string | undefined
}

/** Entries of the history on one page. */
const ENTRIES = 50

/** What a person who is signed in sees. None of it changes anything. */
export function createPages({ placard, html, base, secretFile }: PagesOptions) {
  const { clock, embeds } = internalsOf(placard)

  function page(visit: Visit, view: ViewName, content: JSX.Element, notice?: Notice, status = 200) {
    const { words, session } = visit
    const frame = { words, base, session, view, title: words.nav[view], notice }
    return html(<Shell {...frame}>{content}</Shell>, status)
  }

  const judgedFor = (visit: Visit, fields: Fields) =>
    outcomeOf(apiFor(placard, visit), visit.words, fields, clock.now())

  async function board(visit: Visit, at?: number) {
    const { words } = visit
    const now = clock.now()
    const api = apiFor(placard, visit)
    const [stored, { etag }, newest] = await Promise.all([
      boardFrom(api),
      placard.snapshot(),
      newestIn(api),
    ])
    const state = checksum(JSON.stringify([advance(stored, now).board, etag]))
    const props = { words, base, now, state, at, board: stored, newest }
    return { now: <Now {...props} />, next: <Next {...props} />, state }
  }

  /** The page of the announcement, with a draft in its composer. */
  async function announcement(
    visit: Visit,
    draft: Fields,
    { notice, status, at, issues }: AnnouncementOptions = {},
  ): Promise<Response> {
    // A draft that comes back keeps what its author saw, so that they hear of what has come since (contract A17).
    const fields = {
      ...draft,
      // Asked before what it tells of is read, so that nobody has seen what they are not shown.
      seen: draft.seen || (await newestIn(apiFor(placard, visit))),
      refused: draft.refused || status === 422,
    }
    const [judged, parts] = await Promise.all([judgedFor(visit, fields), board(visit, at)])
    const content = (
      <>
        <Compose {...judged} issues={issues ?? judged.issues} base={base}>
          {parts.now}
        </Compose>
        {parts.next}
      </>
    )
    return page(visit, 'announcement', content, notice, status)
  }

  /** The instant that an address asks about: none before now, and none beyond what a `Date` holds. */
  function instantIn(query: URLSearchParams): number | undefined {
    const at = Number(query.get('at') ?? Number.NaN)
    return Number.isFinite(at) ? Math.min(Math.max(at, clock.now()), 8.64e15) : undefined
  }

  /** The page of the history. */
  async function history(
    visit: Visit,
    { notice, status, older }: HistoryOptions = {},
  ): Promise<Response> {
    return page(visit, 'history', await entries(visit, older), notice, status)
  }

  async function entries(visit: Visit, before?: string): Promise<JSX.Element> {
    const api = apiFor(placard, visit)
    const asked = api.history({ limit: ENTRIES, ...(before && { before }) })
    const [found, stored] = await Promise.all([asked, boardFrom(api)])
    const now = clock.now()
    const frame = { words: visit.words, base, board: advance(stored, now).board, now }
    return <History {...found} {...frame} older={before !== undefined} />
  }

  const noticed = (visit: Visit, query: URLSearchParams) =>
    noticeIn(query, { visit, base, api: apiFor(placard, visit) })

  return {
    announcementWith: announcement,
    historyWith: history,

    async announcement(visit: Visit) {
      const query = new URL(visit.request.url).searchParams
      const at = instantIn(query)
      const draft = await draftFor(apiFor(placard, visit), query, clock.now())
      const gone: Notice = { kind: 'fault', text: visit.words.faults.gone }
      // Whoever reads from right to left mostly has a site that does.
      const rtl = visit.words.dir === 'rtl'
      return announcement(
        visit,
        { ...(draft ?? draftFields(null, '', clock.now())), rtl },
        { notice: draft ? await noticed(visit, query) : gone, at },
      )
    },

    async history(visit: Visit) {
      const query = new URL(visit.request.url).searchParams
      const before = query.get('before') ?? ''
      const older = /^\d{1,15}$/.test(before) ? before : undefined
      return history(visit, { notice: await noticed(visit, query), older })
    },

    async site(visit: Visit) {
      const props = { words: visit.words, url: visit.url, embeds, secretFile }
      return page(visit, 'site', <OnYourSite {...props} />)
    },

    /** The preview, while somebody types. */
    async preview(visit: Visit) {
      const judged = await judgedFor(visit, fieldsOf(await readForm(visit.request)))
      return html(
        <div>
          {FAULTY.map((id) => (
            <FieldFaults key={id} {...judged} id={id} />
          ))}
          <ComposeTitle {...judged} />
          <ConflictNote {...judged} base={base} />
          <Verdict {...judged} />
          <LanguageNames {...judged} />
          <Show {...judged} />
          <Preview {...judged} />
        </div>,
      )
    },

    /** The same without script: the whole page. */
    draft: async (visit: Visit) => announcement(visit, fieldsOf(await readForm(visit.request))),

    /** What is up and what comes, or the newest of the history, unless the page shows that already. */
    async live(visit: Visit) {
      const query = new URL(visit.request.url).searchParams
      const known = query.get('history')
      if (known !== null) {
        const newest = await apiFor(placard, visit).history({ limit: 1 })
        return stateOf(newest.entries) === known ? same() : html(await entries(visit))
      }
      const { now, next, state } = await board(visit)
      if (query.get('now') === state) return same()
      return html(
        <div>
          {now}
          {next}
        </div>,
      )
    },

    /** What visitors will see at an instant. */
    async ahead(visit: Visit) {
      const at = instantIn(new URL(visit.request.url).searchParams)
      if (at === undefined) throw invalidBody([issueAt('at', 'not_an_instant')])
      const stored = await boardFrom(apiFor(placard, visit))
      return html(<Ahead words={visit.words} board={stored} at={at} />)
    },

    async icons({ request, words }: Visit) {
      const query = new URL(request.url).searchParams.get('q') ?? ''
      return html(<Icons names={iconsLike(query)} words={words} />)
    },

    /** The stream of the API, under the path of the admin. So it is found wherever the admin is mounted. */
    stream({ request, info }: Visit) {
      const { method, headers } = request
      const url = new URL('/api/events/stream', request.url)
      return placard.fetch(new Request(url, { method, headers }), info)
    },
  }
}

const same = () => new Response(null, { status: 204, headers: NO_STORE })

export type Pages = ReturnType<typeof createPages>
