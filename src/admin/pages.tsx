import type { Child } from 'hono/jsx'
import { iconsLike } from '../bar/icon.ts'
import { advance } from '../core/board.ts'
import { checksum } from '../core/checksum.ts'
import { entryId } from '../core/schema.ts'
import { NO_STORE } from '../http/headers.ts'
import { readHistory } from '../http/history.ts'
import type { ServiceParts } from '../http/service-parts.ts'
import { html } from './answers.ts'
import { draftFor, evaluateDraft } from './draft/evaluate.ts'
import { draftFields, type Fields, fieldsOf } from './draft/fields.ts'
import { readForm, searchParamsOf } from './request.ts'
import { Next, Now } from './views/announcements.tsx'
import { Compose } from './views/compose.tsx'
import { Icons, type NoticeProps } from './views/controls.tsx'
import { History, stateOf } from './views/history.tsx'
import { Shell, type ViewName } from './views/shell.tsx'
import { Looked, OnYourSite } from './views/site.tsx'
import type { Visit } from './visit.ts'
import { citiesIn } from './words.ts'

const ENTRIES = 50

/** Creates the handlers of the pages and page parts that a signed-in person requests. No handler changes anything. */
export function createPages(service: ServiceParts, base: string, secretFile: string | undefined) {
  const { store, clock } = service

  function page(visit: Visit, view: ViewName, content: Child, notice?: NoticeProps) {
    const { words } = visit
    return html(
      <Shell {...{ words, base, visit, view, notice }} title={words.nav[view]}>
        {content}
      </Shell>,
    )
  }

  async function board({ words }: Visit) {
    const now = clock.now()
    const { board } = advance(await store.load(), now)
    const state = checksum(JSON.stringify(board))
    const props = { words, base, now, state, board }
    return { now: <Now {...props} />, next: <Next {...props} />, state }
  }

  async function composer(visit: Visit, draft: Fields) {
    const { evaluation } = await evaluateDraft(service, visit, draft)
    return <Compose {...evaluation} base={base} />
  }

  async function history({ words }: Visit, before: number | null) {
    const found = await readHistory(service, ENTRIES, before)
    return <History {...found} {...{ words, base }} older={before !== null} />
  }

  return {
    composer,

    async shown(visit: Visit, isHistory = false): Promise<Child[]> {
      if (isHistory) return [await history(visit, null)]
      const { now, next } = await board(visit)
      return [now, next]
    },

    async announcement(visit: Visit) {
      const draft = await draftFor(service, searchParamsOf(visit.request), visit.words.zone)
      const [form, { now, next }] = await Promise.all([
        composer(visit, draft ?? draftFields(null, clock.now(), visit.words.zone)),
        board(visit),
      ])
      const composed = (
        <section class="compose" aria-labelledby="compose-title">
          {form}
          {now}
        </section>
      )
      const gone = { kind: 'fault', text: visit.words.faults.gone } as const
      return page(visit, 'announcement', [composed, next], draft ? undefined : gone)
    },

    async history(visit: Visit) {
      const before = entryId.safeParse(searchParamsOf(visit.request).get('before')).data ?? null
      return page(visit, 'history', await history(visit, before))
    },

    site(visit: Visit) {
      const embeds = service.site !== undefined
      return page(visit, 'site', <OnYourSite {...visit} {...{ embeds, secretFile }} />)
    },

    looked: (visit: Visit) => html([<Looked key="looked" {...visit} />]),

    async preview(visit: Visit) {
      const fields = fieldsOf(await readForm(visit.request))
      return html([await composer(visit, fields)])
    },

    /** Returns the published and scheduled announcements, or the newest history; 204 if the page already shows them. */
    async live(visit: Visit) {
      const query = searchParamsOf(visit.request)
      const known = query.get('history')
      if (known !== null) {
        const newest = await store.history(1, null)
        if (stateOf(newest) === known) return same()
        return html([await history(visit, null)])
      }
      const { now, next, state } = await board(visit)
      if (query.get('now') === state) return same()
      return html([now, next])
    },

    async icons(visit: Visit) {
      const names = iconsLike(searchParamsOf(visit.request).get('q') ?? '', visit.words.icons)
      return html(<Icons names={names} words={visit.words} />)
    },

    async zones({ words }: Visit) {
      const cities = citiesIn(words.tag).toSorted((a, b) => a.city.localeCompare(b.city, words.tag))
      return html(cities.map(({ zone, city }) => <option key={zone} value={city} label={zone} />))
    },
  }
}

const same = () => new Response(null, { status: 204, headers: NO_STORE })

export type Pages = ReturnType<typeof createPages>
