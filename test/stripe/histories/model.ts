/**
 * What the slot of coupons has to show, by rules that know nothing of how it is done: spec 6 replayed in the order in which
 * things happened, with what people decided at their time, less the offers that the checkout refuses.
 */

/** What happened, in the order in which it did. */
export type Happening =
  | {
      kind: 'noted'
      type: string
      coupon: string
      featured: boolean
      /** Whether the coupon could be redeemed then, as its notification says. */
      redeemable: boolean
      text: string
    }
  /** Somebody published, wrote over the offer of a coupon or, with a `text` of `null`, withdrew. */
  | { kind: 'decided'; text: string | null; coupon?: string | undefined }

/** What is up. A coupon of `null`: a person put it up. */
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

/** @param isRefused whether the checkout refuses a coupon by now */
export function expected(
  happened: readonly Happening[],
  isRefused: (coupon: string) => boolean,
): string | null {
  const up = happened.reduce(after, null)
  return up && (up.coupon === null || !isRefused(up.coupon)) ? up.text : null
}
