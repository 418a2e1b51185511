import type { Facts } from '../../http/facts.ts'
import { by, type Finding } from './finding.ts'

const { pass, warn, fail } = by('clock')

/** Starts and ends are late by this difference. */
const OFF_POSTGRES = { warnMs: 2_000, failMs: 60_000 }
/** Stripe's time has whole seconds. Signatures are refused when they are 5 minutes off (contract W1). */
const OFF_STRIPE = { warnMs: 10_000, failMs: 240_000 }

export const SET_CLOCK = 'Set the clock of the machine: let it run chrony or systemd-timesyncd'

/** Compares the service's clock with the other clocks that matter to it. */
export function checkClock({ database, stripe }: Facts): Finding {
  const others = [
    { name: 'Postgres', aheadMs: database.aheadMs, ...OFF_POSTGRES },
    { name: 'Stripe', aheadMs: stripe?.aheadMs, ...OFF_STRIPE },
  ].filter(({ aheadMs }) => aheadMs !== undefined)
  for (const { name, aheadMs = 0, warnMs, failMs } of others) {
    const off = Math.abs(aheadMs)
    if (off < warnMs) continue
    const where = aheadMs > 0 ? 'ahead of' : 'behind'
    const spoken =
      off < 120_000 ? `${Math.round(off / 1_000)} s` : `${Math.round(off / 60_000)} min`
    const message = `The clock of the service is ${spoken} ${where} that of ${name}`
    return (off >= failMs ? fail : warn)(message, SET_CLOCK)
  }
  const names = others.map(({ name }) => name).join(' and ')
  return pass(names ? `The clock agrees with ${names}` : 'Nothing else tells the time here')
}
