import type { Defect } from '../planted.ts'
import { type Plan, planOf } from './plan.ts'

interface Planted {
  what: string
  /** Histories in which it shows. Chance plays a part in all of them, so one may pass. */
  plans: Plan[]
  defects: Defect[]
}

const plans = (kind: Plan['kind'], number: number, given: Partial<Plan> = {}): Plan[] =>
  Array.from({ length: 3 * number }, (_, seed) => ({ ...planOf(seed), ...given })).filter(
    (plan) => plan.kind === kind,
  )
const slow = (troubles: Plan['troubles']): Plan[] =>
  plans('two nodes in trouble', 12, {
    troubles,
    troubleMs: Number.POSITIVE_INFINITY,
    bothTroubled: false,
    patienceMs: 2_500,
  })

export const PLANTED: Planted[] = [
  {
    // SQLite reads so soon that nobody could tell.
    what: 'a write that is answered before readers see it',
    plans: slow(['slowAnswers']),
    defects: [
      {
        file: 'src/commands.ts',
        right: 'await showing.refresh().finally(purge)',
        wrong: 'showing.refresh().catch(() => {})\n    await purge()',
      },
    ],
  },
  {
    what: 'a write that shares a load which began before it',
    plans: slow(['slowAnswers']),
    defects: [
      {
        file: 'src/showing/showing.ts',
        right: '    queued ??= loading\n',
        wrong: '    if (loading) return loading\n    queued ??= loading\n',
      },
    ],
  },
  {
    what: 'a load that counts for what was heard while it was in flight',
    plans: slow(['verySlowAnswers']),
    defects: [
      {
        file: 'src/showing/showing.ts',
        right: 'covered = before',
        wrong: 'covered = heard',
      },
    ],
  },
  {
    what: 'a withdrawal that now and then removes nothing',
    plans: plans('SQLite', 6),
    defects: [
      {
        file: 'src/store/slots.ts',
        right: 'delete from placard_event where id = $' + '{id}',
        wrong: 'delete from placard_event where id = $' + '{id} and timestamp % 8 <> 0',
      },
    ],
  },
  {
    what: 'two announcements of a type',
    plans: plans('SQLite', 3),
    defects: [
      {
        file: 'src/store/sql/0001_tables.sqlite.sql',
        right: 'create unique index',
        wrong: 'create index',
      },
      {
        file: 'src/store/slots.ts',
        right: 'on conflict (type) do update',
        wrong: 'on conflict (id) do update',
      },
    ],
  },
  {
    what: 'two announcements at the same instant',
    plans: plans('SQLite', 3),
    defects: [
      {
        file: 'src/store/changes.ts',
        right: 'Math.max(now, last + 1)',
        wrong: 'Math.max(now, last)',
      },
    ],
  },
  {
    what: 'a stream that gets an older state after a newer one',
    plans: plans('SQLite', 6, { crowded: true }),
    defects: [
      {
        file: 'src/http/stream.ts',
        right: '      notify(page)\n      if (++count',
        wrong: `      const newest = latest
      latest = { etag, message }
      notify(page)
      latest = newest
      if (++count`,
      },
    ],
  },
]
