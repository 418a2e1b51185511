import type { Log } from '../core/log.ts'
import type { Told } from '../stripe/notification.ts'
import { warningsOf } from './warnings.ts'

/** Logs which parts of a coupon are left out, or will probably not show as intended (contract T5, A16). */
export type WarnOfCoupon = (told: Told) => Promise<void>

export function createCouponWarnings(
  log: Log,
  knowsIcon: (name: string) => Promise<boolean>,
): WarnOfCoupon {
  return async ({ notification: { id, coupon, effect }, faults }) => {
    if (effect.kind !== 'publish') return
    const about = { notification: id, coupon }
    if (faults.length > 0) log.warn({ ...about, faults }, 'ignored faulty metadata of a coupon')
    const warnings = (await warningsOf(effect.draft, knowsIcon)).map(({ message }) => message)
    if (warnings.length > 0) log.warn({ ...about, warnings }, 'a coupon may not show as meant')
  }
}
