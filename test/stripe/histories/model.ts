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

function after(up: Up | null, one: Happening): Up | null {
  if (one.kind === 'decided') {
    return one.text === null ? null : { text: one.text, coupon: one.coupon ?? null }
  }
  const { type, coupon, featured, redeemable, text } = one
  if (!featured) return up
  if (type === 'coupon.deleted') return null
  if (redeemable) return { text, coupon }
  return up?.coupon === coupon ? null : up
}

/** @param isRefused whether the checkout refuses a coupon at the end */
export function expected(
  happened: readonly Happening[],
  isRefused: (coupon: string) => boolean,
): string | null {
  const up = happened.reduce(after, null)
  return up && (up.coupon === null || !isRefused(up.coupon)) ? up.text : null
}
