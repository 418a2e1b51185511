/**
 * Which coupon announcement must be live, independently of the implementation: replays the notifications (spec 6) and
 * people's decisions in the order in which they happened, and drops an offer that the checkout refuses.
 */

/** A notification or a person's decision. */
export type Happening =
  | {
      kind: 'noted'
      type: string
      coupon: string
      featured: boolean
      /** Whether the coupon could be redeemed, according to the notification. */
      redeemable: boolean
      text: string
    }
  /** Somebody published an announcement, edited a coupon's or, if `text` is `null`, withdrew one. */
  | { kind: 'decided'; text: string | null; coupon?: string | undefined }

/** The published coupon announcement; `coupon` is `null` if a person published it. */
interface Up {
  text: string
  coupon: string | null
}

/** @param gone the coupons whose last notification says that they can't be redeemed */
function after(up: Up | null, one: Happening, gone: Set<string>): Up | null {
  if (one.kind === 'decided') {
    const { text, coupon = null } = one
    // The deletion of an edited coupon may arrive after the edit, and takes its announcement down all the same.
    return text === null || (coupon !== null && gone.has(coupon)) ? null : { text, coupon }
  }
  const { type, coupon, featured, redeemable, text } = one
  if (!featured) return up
  const isDeleted = type === 'coupon.deleted'
  gone[isDeleted || !redeemable ? 'add' : 'delete'](coupon)
  if (isDeleted) return null
  if (redeemable) return { text, coupon }
  return up?.coupon === coupon ? null : up
}

/** @param isRefused whether the checkout refuses a coupon at the end */
export function expected(
  happened: readonly Happening[],
  isRefused: (coupon: string) => boolean,
): string | null {
  const gone = new Set<string>()
  const up = happened.reduce<Up | null>((before, one) => after(before, one, gone), null)
  return up && (up.coupon === null || !isRefused(up.coupon)) ? up.text : null
}
