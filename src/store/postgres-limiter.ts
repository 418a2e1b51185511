import { LIMIT, type LimitState, WINDOW_MS } from '../core/limiter.ts'
import { type Db, sql } from './sql.ts'

/**
 * Counts requests across all nodes in one statement, with the rule of `decide` in limiter.ts and the database's clock.
 * The statement locks the address's row before it reads the clock, so two nodes can't both admit the tenth request.
 *
 * Each count adds at most one address and deletes up to two whose window has passed. So the table never has more rows
 * than there were addresses in the busiest window, and no job needs to clear it.
 */
export function postgresLimiter(db: Db) {
  const span = sql([`make_interval(secs => ${WINDOW_MS / 1000})`])
  const most = sql([String(LIMIT)])

  return async function count(address: string): Promise<LimitState> {
    // A stored time more than one window ahead is from before the clock was set back, and must not count.
    const [state] = await sql<LimitState>`
      with counted as (
        insert into placard_allowance as known
        select ${address}, array[moment], true, moment from clock_timestamp() as moment
        on conflict (address) do update set (admitted_at, admitted, counted_at) = (
          select case when cardinality(live) < ${most} then live || moment else live end,
            cardinality(live) < ${most}, moment
          from clock_timestamp() as moment, lateral (select array(
            select time from unnest(known.admitted_at) as time
            where time > moment - ${span} and time < moment + ${span}
          )) as those(live)
        )
        returning *
      ), forgotten as (
        delete from placard_allowance where address = any(array(
          select address from placard_allowance
          where admitted_at[cardinality(admitted_at)] <= clock_timestamp() - ${span}
            and exists (select from counted)
          order by admitted_at[cardinality(admitted_at)] limit 2
          for update skip locked
        ))
      )
      select admitted, ${most} - cardinality(admitted_at) as remaining,
        extract(epoch from admitted_at[1] + ${span} - counted_at)::float8 * 1000 as "resetMs"
      from counted`.execute(db)
    return state as LimitState
  }
}
