import type { Facts } from '../../http/facts.ts'
import { type Finding, fail, pass, warn } from './finding.ts'

/** Starts and ends are late by as much. */
const OFF_POSTGRES = { warnMs: 2_000, failMs: 60_000 }
/** Stripe tells whole seconds. Signatures are refused when they are 5 minutes off (contract W1). */
const OFF_STRIPE = { warnMs: 10_000, failMs: 240_000 }
/** New announcements are dated after the last one, so a small lead is a busy minute. */
const LEAD_MS = 60_000

export const SET_CLOCK = 'Set the clock of the machine: let it run chrony or systemd-timesyncd'

/** The service's clock against the others that matter to it. */
export function checkClock({ now, database, stripe, stored }: Facts): Finding {
  const others = [
    { name: 'Postgres', aheadMs: database.aheadMs, ...OFF_POSTGRES },
    { name: 'Stripe', aheadMs: stripe?.aheadMs, ...OFF_STRIPE },
  ].flatMap(({ aheadMs, ...it }) => (aheadMs === undefined ? [] : [{ aheadMs, ...it }]))
  const off = others.find(({ aheadMs, warnMs }) => Math.abs(aheadMs) >= warnMs)
  if (off) {
    const { name, aheadMs, failMs } = off
    const where = aheadMs > 0 ? 'ahead of' : 'behind'
    const message = `The clock of the service is ${spoken(aheadMs)} ${where} that of ${name}`
    return Math.abs(aheadMs) >= failMs
      ? fail('clock', message, SET_CLOCK)
      : warn('clock', message, SET_CLOCK)
  }
  const leadMs = stored === undefined ? 0 : Number(stored.last) - Number(now)
  if (leadMs >= LEAD_MS) {
    const message = `The last announcement is dated ${spoken(leadMs)} ahead of the clock of the service`
    return warn('clock', message, `${SET_CLOCK}. If it is right now, this passes by itself`)
  }
  const names = others.map(({ name }) => name)
  const right =
    names.length > 0 ? `agrees with ${names.join(' and ')}` : 'is behind nothing that is stored'
  return pass('clock', `The clock of the service ${right}`)
}

function spoken(ms: number): string {
  const seconds = Math.abs(ms) / 1000
  if (seconds < 120) return `${seconds.toFixed(0)} s`
  if (seconds < 7_200) return `${(seconds / 60).toFixed(0)} min`
  return seconds < 172_800
    ? `${(seconds / 3_600).toFixed(0)} h`
    : `${(seconds / 86_400).toFixed(0)} d`
}
