import type { Defect } from '../planted.ts'

/** Defects that no tool thinks of: in SQL, in deadlines, in the order of things. */
export interface Planted {
  file: string
  /** The test files of which one at least has to notice. */
  tests: readonly string[]
  /** What goes wrong, what stands in the file, and what stands there instead. */
  defects: readonly (readonly [what: string, right: string, wrong: string])[]
}

/** One that is ready to be planted. */
export interface Mutant extends Defect {
  what: string
  tests: readonly string[]
}

const PLANTED: readonly Planted[] = [
  {
    file: 'src/showing/showing.ts',
    tests: ['showing'],
    defects: [
      [
        'callers share a load that began before they called',
        'queued ??= loading',
        'return loading; queued ??= loading',
      ],
      [
        'a load counts for what was heard during it',
        'memory.cover(heard)',
        'memory.cover(memory.heard())',
      ],
    ],
  },
  {
    file: 'src/showing/subscribers.ts',
    tests: ['callbacks'],
    defects: [
      ['an older change is told after a newer one', 'if (change !== changes) return\n', '\n'],
    ],
  },
  {
    file: 'src/http/stream.ts',
    tests: ['stream'],
    defects: [
      [
        'a page is told what the round began with',
        'const rest = pages.values()\n',
        'const rest = pages.values()\n    const began = latest\n    const notify = (page: Page) => began && write(page, message(began))\n',
      ],
    ],
  },
  {
    file: 'src/store/slots.ts',
    tests: ['api', 'store', 'schedule', 'history', 'notification-order'],
    defects: [
      ['a replaced one keeps its id', 'id = excluded.id, timestamp', 'timestamp'],
      ['a replaced one keeps its timestamp', 'timestamp = excluded.timestamp, ', ''],
      ['a replaced one keeps its end', 'expires_at = excluded.expires_at,\n      coupon', 'coupon'],
      ['a replaced one keeps its coupon', 'coupon = excluded.coupon, ', ''],
      [
        'a replaced one keeps its text',
        'coupon = excluded.coupon, body = excluded.body',
        'coupon = excluded.coupon',
      ],
      ['a changed scheduled one keeps its start', 'starts_at = excluded.starts_at, ', ''],
      ['a changed scheduled one keeps its type', 'type = excluded.type, ', ''],
      [
        'a changed scheduled one keeps its end',
        'expires_at = excluded.expires_at,\n      position',
        'position',
      ],
      [
        'a changed scheduled one keeps its text',
        'position = excluded.position, body = excluded.body',
        'position = excluded.position',
      ],
      ['a number of the schedule comes again', 'set position = position + 1', 'set position = 1'],
      [
        'a withdrawal removes the others',
        'from placard_event where id =',
        'from placard_event where id <>',
      ],
      [
        'what starts leaves the others',
        'from placard_scheduled where id =',
        'from placard_scheduled where id <>',
      ],
    ],
  },
  {
    file: 'src/store/changes.ts',
    tests: ['retention', 'history'],
    defects: [
      [
        'the age of all is that of the newest',
        ') - ${MAX_AGE_MS} order by id limit 1',
        ') order by id limit 1',
      ],
      [
        'the oldest are kept',
        'order by id desc limit 1 offset ${MAX_ENTRIES - TRIM_EVERY}',
        'order by id limit 1 offset ${MAX_ENTRIES - TRIM_EVERY}',
      ],
      [
        'what is too much takes ignored ones only',
        'delete from placard_history where id <= (\n        select id from placard_history order',
        "delete from placard_history where action = 'ignored' and id <= (\n        select id from placard_history order",
      ],
      [
        'too many ignored ones take others away',
        "delete from placard_history where action = 'ignored' and id <= (",
        'delete from placard_history where id <= (',
      ],
      [
        'ignored ones are counted with the others',
        "select id from placard_history where action = 'ignored' order",
        'select id from placard_history order',
      ],
    ],
  },
  {
    file: 'src/store/postgres.ts',
    tests: ['postgres/several-nodes', 'store'],
    defects: [
      [
        'writers do not take turns',
        'await sql`update placard_clock set last = last`.execute(trx)',
        'await sql`select last from placard_clock`.execute(trx)',
      ],
    ],
  },
  {
    file: 'src/store/notifications.ts',
    tests: ['notification-order', 'store', 'history', 'api'],
    defects: [
      [
        'the same id under another type is a repeat',
        'where type = ${notification.type} and id = ${notification.id}',
        'where id = ${notification.id}',
      ],
      [
        'a repeat is any of its type',
        'where type = ${notification.type} and id = ${notification.id}',
        'where type = ${notification.type}',
      ],
      ['withdrawals take no part in the order', "in ('publish', 'withdraw')", "in ('publish')"],
      ['publications take no part in the order', "in ('publish', 'withdraw')", "in ('withdraw')"],
      [
        'what takes down one coupon takes part in the order of all',
        "in ('publish', 'withdraw')",
        "in ('publish', 'withdraw', 'retract')",
      ],
      [
        'what took down one coupon is remembered for all',
        "effect = 'retract' and coupon = ${coupon}",
        "effect = 'retract'",
      ],
      [
        'what took down one coupon is forgotten',
        "effect = 'retract' and coupon = ${coupon}",
        "effect = 'retract' and coupon is null",
      ],
      ['the order goes by the oldest', 'select max(created)', 'select min(created)'],
      [
        'the ledger forgets what set the order',
        'where received_at < ${now - LEDGER_MS} and created < ${Math.max(0, last)}',
        'where received_at < ${now - LEDGER_MS}',
      ],
      [
        'the ledger forgets what may come again',
        'where received_at < ${now - LEDGER_MS} and created < ${Math.max(0, last)}',
        'where created < ${Math.max(0, last)}',
      ],
    ],
  },
  {
    file: 'src/commands.ts',
    tests: ['history'],
    defects: [['the caches are told too early of a change', '>= graceMs', '>= 0']],
  },
  {
    file: 'src/store/create-store.ts',
    tests: ['history', 'schedule'],
    defects: [
      [
        'the caches are told again and again',
        'set untold_since = null where id',
        'set untold_since = untold_since where id',
      ],
      [
        'a page of the history begins with the last entry of the page before',
        'where id < ${before',
        'where id <= ${before',
      ],
      [
        'the history begins with the oldest',
        'order by id desc limit ${limit}',
        'order by id limit ${limit}',
      ],
    ],
  },
  {
    file: 'src/store/sql/0001_tables.sqlite.sql',
    tests: ['sqlite'],
    defects: [['two of a type are possible', 'create unique index', 'create index']],
  },
  {
    file: 'src/store/postgres-limiter.ts',
    tests: ['postgres/several-nodes'],
    defects: [
      [
        'a clock that steps back blocks for as long as the step was',
        ' and time < moment + ${span}',
        '',
      ],
      ['what is long over still counts', 'where time > moment - ${span} and', 'where'],
      [
        'an eleventh is admitted',
        'cardinality(live) < ${most} then',
        'cardinality(live) <= ${most} then',
      ],
      [
        'all are told that they are admitted',
        'cardinality(live) < ${most}, moment',
        'true, moment',
      ],
      [
        'a wait counts from the newest',
        'admitted_at[1] + ${span}',
        'admitted_at[cardinality(admitted_at)] + ${span}',
      ],
      ['addresses are never forgotten', 'limit 2\n', 'limit 0\n'],
      ['addresses are forgotten at once', '<= clock_timestamp() - ${span}', '<= clock_timestamp()'],
      [
        'the clock is read before the lock is held',
        'from clock_timestamp() as moment, lateral',
        'from now() as moment, lateral',
      ],
    ],
  },
  {
    file: 'src/store/postgres.ts',
    tests: ['postgres/faults'],
    defects: [
      [
        'a commit in doubt is not waited for',
        '      await sql`update placard_clock set last = last`.execute(trx)\n',
        '',
      ],
      ['other nodes get no word', "select pg_notify(${CHANNEL}, ''), ", 'select '],
      [
        'a node that freezes keeps its locks',
        "set_config('idle_in_transaction_session_timeout', ${String(ms / 2)}, true),\n",
        '',
      ],
    ],
  },
  {
    file: 'src/offers/offers.ts',
    tests: ['stripe/asking', 'stripe/catching-up'],
    defects: [
      [
        'a bell rings nowhere',
        'store.ring().then((soon) => soon && planSoon(), planSoon)',
        'store.ring()',
      ],
      [
        'what is ignored of what stands waits for its turn',
        'coupon === standing?.coupon',
        'coupon === standing?.id',
      ],
      [
        'what is ignored of any coupon rings',
        'coupon !== null && coupon === standing?.coupon',
        'coupon !== null',
      ],
      [
        'a list takes the time that an offer does not have',
        'if (isUrgent || untilList',
        'if (untilList',
      ],
      [
        'what was missed during an outage waits for an hour',
        'missed = true\n    return end',
        'return end',
      ],
      [
        'what stands now is asked about when that before it would be',
        'planSoon()\n      standing',
        'standing',
      ],
      [
        'a list that is refused is asked for again at once',
        "error.result === 'denied' ? LIST_MS :",
        "error.result === 'denied' ? GAP_MS :",
      ],
    ],
  },
  {
    file: 'src/offers/ask.ts',
    tests: ['stripe/asking'],
    defects: [
      ['silence takes down what has no limit', 'limit !== null && !suspended ?', '!suspended ?'],
      ['silence takes down nothing', 'limit !== null && !suspended ?', '!limit && !suspended ?'],
      [
        'silence takes down for good',
        '5 minutes${whyIn(error)}`, null',
        '5 minutes${whyIn(error)}`, "coupon_not_valid"',
      ],
      [
        'a refusal may come back',
        'takeDownOffer(one.id, offer.because, offer.refused)',
        'takeDownOffer(one.id, offer.because, null)',
      ],
      ['nothing comes back', 'if (turn.suspended) await', 'if (false) await'],
      ['the history does not tell of a refused key', 'if (status === 401)', 'if (status === 402)'],
      ['a refused list does not count for the coupon', 'if (refusal) throw refusal', ''],
    ],
  },
  {
    file: 'src/offers/lease.ts',
    tests: ['stripe/catching-up'],
    defects: [['a turn is over after its lease', 'held(client.coupon)', 'client.coupon']],
  },
  {
    file: 'src/stripe/asking.ts',
    tests: ['stripe/asking'],
    defects: [
      ['each wait is as long as the first', 'first * 2 ** Math', 'first + 0 * Math'],
      [
        'Stripe is asked before it allows',
        'Math.max(waitMs, FIRST_BACKOFF_MS)',
        'FIRST_BACKOFF_MS',
      ],
    ],
  },
  {
    file: 'src/http/mismatches.ts',
    tests: ['webhooks'],
    defects: [
      ['each notification of a stranger is a line', 'said = true', ''],
      ['a stranger needs no hour for the next line', 'said || monotonic() < sayFrom', 'said'],
      ['what we make up is taken for Stripe’s', 'if (isMadeUp(id)) return', ''],
      ['a wrong secret is told once for all', 'said = false\n    },', '},'],
    ],
  },
  {
    file: 'src/offers/retrieve.ts',
    tests: ['stripe/asking', 'stripe/same-id'],
    defects: [
      ['any coupon of the id will do', 'snapshot && isSame(found, snapshot)', 'snapshot'],
      [
        'what the key does not know is asked about by its id',
        'return !event ||',
        'return event ||',
      ],
      ['a notification waits for as long as Stripe does', 'WAIT_MS = 2_000', 'WAIT_MS = 7_000'],
      [
        'a refused offer is put up by its notification',
        'if (coupon === undefined) return',
        'if (coupon !== null) return',
      ],
    ],
  },
  {
    file: 'src/offers/of-webhooks.ts',
    tests: ['stripe/same-id'],
    defects: [
      ['any key of the mode will do', 'client.knowsEvent(event)', 'true'],
      ['an old delivery tells no mode', 'livemode === !live', 'livemode === null'],
      ['what stands tells nothing', 'if (heard || !about', 'if (heard || about || !about'],
    ],
  },
  {
    file: 'src/offers/in-time.ts',
    tests: ['stripe/asking'],
    defects: [
      ['a notification is in no time for a wait', 'keepQuiet(asking)', 'Promise.resolve()'],
    ],
  },
  {
    file: 'src/offers/catch-up.ts',
    tests: ['stripe/catching-up', 'stripe/asking'],
    defects: [
      ['one coupon holds up all others', 'count < MAX_FAILURES', 'true'],
      ['what is not read is not told', 'if (!isAll)', 'if (false)'],
      ['a wrong key is told later', 'await tryCoupons()', ''],
      ['the first key announces the past', 'since: seconds, to: seconds,', 'since: 0, to: 0,'],
      [
        'every key goes on where another stopped',
        '(await client.knowsEvent(event)) ?',
        'client.knowsEvent(event) ?',
      ],
      ['every other key begins anew', '(await client.knowsEvent(event)) ?', '!event ?'],
      ['what a person decided since is undone', '...notification, happenedAt,', '...notification,'],
    ],
  },
  {
    file: 'src/stripe/coupons.ts',
    tests: ['stripe/asking'],
    defects: [
      [
        'words that are no longer meant for a page are shown',
        "isFeatured && 'shows' in offer",
        "'shows' in offer",
      ],
    ],
  },
  {
    file: 'src/store/offers.ts',
    tests: ['stripe/turns', 'stripe/undo', 'stripe/asking'],
    defects: [
      [
        'two nodes get the same turn',
        'where next_at <= ${time} or next_at',
        'where true or next_at',
      ],
      ['a bell in a turn is not heard', ' where next_at = ${token}', ''],
      ['what is suspended comes back after its end', 'if (isOver || slotOf', 'if (slotOf'],
      [
        'what is suspended replaces what is up',
        'if (isOver || slotOf(writing',
        'if (isOver || false && slotOf(writing',
      ],
      ['a limit is known of another coupon', 'row.coupon === about.coupon', 'true'],
      [
        'an undo goes by the first notification',
        'order by received_at desc, created desc',
        'order by received_at, created',
      ],
      ['an undo brings a deleted coupon back', "if (last?.effect === 'withdraw')", 'if (!last)'],
    ],
  },
  {
    file: 'src/store/decisions.ts',
    tests: ['stripe/turns', 'stripe/asking', 'stripe/catching-up'],
    defects: [
      [
        'what somebody decided is not kept',
        "action !== 'ended' ? at : 0",
        "action === 'ended' ? at : 0",
      ],
      ['an end is a decision', " && action !== 'ended' ? at : 0", ' ? at : 0'],
      ['what is suspended outlives a change', 'failures = 0, suspended = null,', 'failures = 0,'],
      [
        'any withdrawal of nothing is a decision',
        "if (selector.type === 'coupon')",
        'if (selector.type)',
      ],
    ],
  },
  {
    file: 'src/http/history.ts',
    tests: ['stripe/undo'],
    defects: [
      [
        'an undo without an id is judged before what is due',
        'an entry too.\n    await recordTransitions()',
        'an entry too.\n',
      ],
      ['an undo without an id undoes what came meanwhile', 'return entry?.id ?? id', 'return id'],
      [
        'without an answer, an undo asks nobody else',
        'if (refusal !== undefined) return refusal',
        'return refusal ?? null',
      ],
    ],
  },
  {
    file: 'src/server/stop.ts',
    tests: ['stopping'],
    defects: [['a stop waits for ever', 'const STOP_MS = 10_000', 'const STOP_MS = 10_000_000']],
  },
]

export const MUTANTS: readonly Mutant[] = PLANTED.flatMap(({ file, tests, defects }) =>
  defects.map(([what, right, wrong]) => ({ what, file, tests, right, wrong })),
)
