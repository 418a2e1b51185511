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
      ['a load counts for what was heard during it', 'covered = before', 'covered = heard'],
    ],
  },
  {
    file: 'src/showing/showing.ts',
    tests: ['callbacks'],
    defects: [
      [
        'an older change is told after a newer one',
        'if (snapshot.etag !== current?.etag) return\n',
        '\n',
      ],
    ],
  },
  {
    file: 'src/http/stream.ts',
    tests: ['stream'],
    defects: [
      [
        'a page is told what the round began with',
        'let count = 0\n',
        'let count = 0\n    const began = latest\n    const notify = (page: Page) => write(page, began.message)\n',
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
      ['a late publication tells of its coupon', 'told = null\n', '\n'],
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
        'id < ${first}',
        'id <= ${first}',
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
        '        await sql`update placard_clock set last = last`.execute(trx)\n',
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
    file: 'src/stripe/asking.ts',
    tests: [
      ...['stripe/asking', 'stripe/catching-up', 'stripe/promotion-code'],
      'stripe/claim',
      'stripe/other-account',
    ],
    defects: [
      [
        'a trigger is heard nowhere',
        'isNoted.then((soon) => soon && planSoon(), planSoon)',
        'isNoted',
      ],
      [
        'what is ignored of what stands waits for its turn',
        'coupon === standing?.coupon',
        'coupon === standing?.id',
      ],
      [
        'what is ignored of any coupon is a trigger',
        'coupon !== null && coupon === standing?.coupon',
        'coupon !== null',
      ],
      [
        'what stands now is asked about when that before it would be',
        'planSoon()\n      standing',
        'standing',
      ],
      [
        'a list that is refused is asked for again at once',
        'isLong ? LIST_MS :',
        'isLong ? GAP_MS :',
      ],
      [
        'a list waits for the coupon',
        'missed && !isSilent ? 0 : LIST_MS -',
        'missed ? 0 : isSilent ? LIST_MS : LIST_MS -',
      ],
      ['a trigger shortens a wait', '{ due_at: 0 }, { failures: 0 }', '{ due_at: 0 }'],
      ['what was missed during an outage waits for an hour', 'if (unanswered) missed = true', ''],
      ['a notification waits for as long as Stripe does', 'WAIT_MS = 2_000', 'WAIT_MS = 7_000'],
    ],
  },
  {
    file: 'src/stripe/question.ts',
    tests: [
      ...['stripe/asking', 'stripe/catching-up', 'stripe/promotion-code'],
      'stripe/claim',
      'stripe/other-account',
    ],
    defects: [
      ['silence pauses what has no limit', 'if (!isLimited || isPaused)', 'if (isPaused)'],
      ['silence pauses nothing', 'if (!isLimited || isPaused)', 'if (isLimited || isPaused)'],
      ['an offer is paused late', 'Math.min(nextMs, leftMs)', 'nextMs'],
      ['nothing is resumed', 'await resume()\n    // The', '// The'],
      ['an older answer counts', '...known }, { asked_at }, one.id', '...known }, {}, one.id'],
      [
        'the end of a code is found late',
        'Math.min(nextQuestionMs(limits), endsInMs)',
        'nextQuestionMs(limits)',
      ],
      [
        'what is put up by hand is asked about',
        'if (!one || !isAskable',
        'if (!one || false && !isAskable',
      ],
    ],
  },
  {
    file: 'src/stripe/judging.ts',
    tests: [
      ...['stripe/asking', 'stripe/catching-up', 'stripe/promotion-code'],
      'stripe/claim',
      'stripe/other-account',
    ],
    defects: [
      [
        'a refused offer is put up by its notification',
        'if (!reading) return unretrieved',
        'if (reading) return unretrieved',
      ],
      [
        'another mode is not told',
        'if (!isSameMode(live, client.live)) report',
        'if (false) report',
      ],
    ],
  },
  {
    file: 'src/stripe/unanswered.ts',
    tests: ['stripe/asking'],
    defects: [
      ['each wait is as long as the first', 'first * 2 ** Math', 'first + 0 * Math'],
      [
        'Stripe is asked before it allows',
        'Math.max(waitMs, FIRST_BACKOFF_MS)',
        'FIRST_BACKOFF_MS',
      ],
      ['one of two limits counts', 'limits.some(isNearlyGone)', 'limits.every(isNearlyGone)'],
    ],
  },
  {
    file: 'src/stripe/unanswered.ts',
    tests: ['stripe/asking'],
    defects: [
      [
        'the history does not tell of a refused key',
        'if (this.status === 401)',
        'if (this.status === 402)',
      ],
    ],
  },
  {
    file: 'src/stripe/client.ts',
    tests: ['stripe/asking', 'stripe/other-account', 'stripe/not-stripe', 'stripe/promotion-code'],
    defects: [
      ['what Stripe wishes is forgotten', 'await quiet.keep(error.waitMs)', 'await 0'],
      ['a wish is not asked for', 'if (waitMs > 0) {', 'if (waitMs < 0) {'],
      ['a live key is one of the test mode', "mode === 'live'", "mode === 'test'"],
      ['any coupon will do', 'coupon.id === id)', 'coupon.id !== undefined)'],
      ['a date means no wait', ': Date.parse(wish) - theirNow', ': 0'],
      ['an hour is too long to wait', 'MAX_WAIT_MS = 24 * 3_600_000', 'MAX_WAIT_MS = 900_000'],
      [
        'any 404 is an answer',
        'status === 404 && Missing.safeParse(body).success',
        'status === 404',
      ],
    ],
  },
  {
    file: 'src/stripe/offer.ts',
    tests: ['stripe/offer', 'stripe/promotion-code'],
    defects: [
      [
        'a code of another coupon counts',
        '=== id && customer == null',
        '!== undefined && customer == null',
      ],
      [
        'a code of a customer counts',
        'customer == null && customer_account',
        'customer !== 0 && customer_account',
      ],
      [
        'the newest code counts, active or not',
        'all.find(({ active }) => active) ?? all[0]',
        'all[0]',
      ],
      [
        'a code is asked for though its coupon is refused',
        'return refusalOf(coupon, now) ? undefined : ',
        'return ',
      ],
      ['the later end counts', 'Math.min(...ends)', 'Math.max(...ends)'],
    ],
  },
  {
    file: 'src/stripe/report.ts',
    tests: ['stripe/asking'],
    defects: [
      ['a cause is told once for all', 'AGAIN_MS = 60 * 60_000', 'AGAIN_MS = 9e15'],
      ['a cause is told each time', 'monotonic() - at < AGAIN_MS', 'false'],
    ],
  },
  {
    file: 'src/http/webhooks.ts',
    tests: ['webhooks'],
    defects: [
      ['each notification of a stranger is a line', 'clock.monotonic() < sayFrom', 'false'],
      ['what we make up is taken for Stripe’s', 'if (!isMadeUp(id)) mismatches', 'mismatches'],
      ['a wrong secret is told once for all', 'clock.monotonic() + AGAIN_MS', 'Infinity'],
    ],
  },
  {
    file: 'src/stripe/judging.ts',
    tests: ['stripe/other-account', 'stripe/asking', 'stripe/promotion-code'],
    defects: [
      ['what the key has had is not remembered', 'const isOurs = seen ||', 'const isOurs ='],
      ['what the key does not know is deleted', '(await ask.knowsEvent(event))', 'true'],
      [
        'what is made up is asked about',
        'coupon !== null && !isMadeUpCoupon(coupon)',
        'coupon !== null',
      ],
      ['an unknown mode is another one', 'live == null || keyLive === undefined ||', ''],
      [
        'a right that is missing holds a coupon up',
        "error.result !== 'denied') throw",
        "error.result === 'denied') throw",
      ],
    ],
  },
  {
    file: 'src/stripe/catch-up.ts',
    tests: ['stripe/catching-up', 'stripe/other-account', 'stripe/asking'],
    defects: [
      ['any key will do', '|| ask.knowsEvent(heard)', '|| true'],
      ['what is not read is not told', 'if (!isAll && oldest)', 'if (false)'],
      ['the first answer is not the beginning', 'since = theirNow()', 'since = 0'],
      ['what a person decided since is undone', '...notification, happenedAt,', '...notification,'],
      ['what is known is read again', '?.created ?? 0) - OVERLAP_S', '?.created ?? 0) * 0'],
    ],
  },
  {
    file: 'src/stripe/examine.ts',
    tests: ['stripe/other-account', 'stripe/promotion-code', 'doctor/doctor'],
    defects: [
      [
        'another mode is fine',
        'if (isForeign || !isSameMode(couponLive, client.live))',
        'if (isForeign)',
      ],
      [
        'what the key does not know is fine',
        'heard !== null && !(await',
        'heard === null && !(await',
      ],
    ],
  },
  {
    file: 'src/stripe/notification.ts',
    tests: ['stripe/asking', 'stripe/promotion-code'],
    defects: [
      [
        'words that are no longer meant for a page are shown',
        "isFeatured && 'shows' in offer",
        "'shows' in offer",
      ],
    ],
  },
  {
    file: 'src/stripe/claim.ts',
    tests: ['stripe/claim', 'stripe/asking', 'stripe/catching-up'],
    defects: [
      ['two nodes get the same claim', '{ due_at, asked_at, decided_at })', '{})'],
      ['a trigger while somebody asks is not heard', 'waitMs }, { due_at: token })', 'waitMs })'],
      [
        'a trigger ends a claim',
        'now.due_at !== token && now.due_at !== 0',
        'now.due_at !== token',
      ],
      [
        'a trigger is lost with a claim that goes on',
        'isTriggered ? 0 : Math.ceil(nextMs)',
        'Math.ceil(nextMs)',
      ],
      ['a start shortens a wait', 'wanted && failures === 0 &&', 'wanted &&'],
      ['a start takes a claim over', 'failures === 0 && waitMs > CLAIM_MS', 'failures === 0'],
      ['the shortest wish of Stripe counts', 'if (ms <= quietMs(memory)) return', ''],
      ['what another key has had counts', 'key, seen: 0,', 'key,'],
      ['another key goes on', ', since: null })', ' })'],
      ['an old delivery tells of the account', 'heard_at > time - KEPT_MS ?', 'heard_at > 0 ?'],
      ['a clock that was set back holds all up', '&& !isFree && !isLost', '&& !isFree'],
      ['a clock that was set back hides a silence', 'Math.min(asked_at, time)', 'asked_at'],
    ],
  },
  {
    file: 'src/store/offer.ts',
    tests: ['stripe/claim', 'stripe/undo', 'stripe/asking'],
    defects: [
      [
        'an answer is about any coupon',
        'sql`and exists (select 1 from placard_event where id = ${id})`',
        'sql``',
      ],
      ['an older refusal counts', '{ failures: 0 }, { asked_at: askedAt }', '{ failures: 0 }'],
      [
        'what was answered meanwhile is paused',
        '{ paused: id }, { asked_at: askedAt }',
        '{ paused: id }',
      ],
      [
        'an undo goes by the first notification',
        'order by received_at desc, created desc',
        'order by received_at, created',
      ],
      ['an undo brings a deleted coupon back', "if (last?.effect === 'withdraw')", 'if (!last)'],
    ],
  },
  {
    file: 'src/core/board.ts',
    tests: ['stripe/asking', 'board'],
    defects: [['what is paused shows', 'id !== paused.id', 'id !== paused.id || true']],
  },
  {
    file: 'src/store/changes.ts',
    tests: ['stripe/claim', 'stripe/asking', 'stripe/catching-up'],
    defects: [
      [
        'what somebody decided is not kept',
        "if (by.via !== 'stripe' &&",
        "if (by.via === 'stripe' &&",
      ],
      ['an end is a decision', "by.via !== 'stripe' && action !== 'ended'", "by.via !== 'stripe'"],
      [
        'a pause outlives what it is of',
        'limited = ${isOffer ? 1 : 0}, paused = null',
        'limited = ${isOffer ? 1 : 0}',
      ],
      ['an edit ends a pause', 'if (before?.id === after?.id) return', ''],
      ['what an undo brings back has no limit', 'limited = ${isOffer ? 1 : 0}', 'limited = 0'],
    ],
  },
  {
    file: 'src/http/history.ts',
    tests: ['stripe/undo'],
    defects: [
      [
        'an undo without an id is judged before what is due',
        'become entries too.\n  await recordTransitions(service)',
        'become entries too.\n',
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
    file: 'src/server/connections.ts',
    tests: ['stopping'],
    defects: [['a stop waits for ever', 'const STOP_MS = 10_000', 'const STOP_MS = 10_000_000']],
  },
]

export const MUTANTS: readonly Mutant[] = PLANTED.flatMap(({ file, tests, defects }) =>
  defects.map(([what, right, wrong]) => ({ what, file, tests, right, wrong })),
)
