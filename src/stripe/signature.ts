import { Problem } from '../problem.ts'

/** Seconds that a notification's signature may be old, or early (contract W1). */
const TOLERANCE_S = 300

/**
 * Checks Stripe's signature over the raw body with Stripe's own package (contract W1).
 *
 * @param payload the raw body
 * @param header the value of `Stripe-Signature`
 * @param secrets the endpoint's signing secrets; more than one while they are being rotated
 * @param now milliseconds since 1970
 * @throws Problem `invalid_signature`
 */
export async function assertSigned(
  payload: string,
  header: string | null,
  secrets: readonly string[],
  now: number,
): Promise<void> {
  if (!header) {
    throw new Problem('invalid_signature', 'The Stripe-Signature header is missing')
  }
  // Loaded with the first notification: the package takes longer to load than all the rest.
  const { default: Stripe } = await import('stripe')
  const { signature } = Stripe.webhooks
  if (!signature) throw new Error('The stripe package has no signature check')
  let cause: unknown
  for (const secret of secrets) {
    try {
      await signature.verifyHeaderAsync(payload, header, secret, TOLERANCE_S, undefined, now)
      // The package refuses what is too old; a clock that is wrong the other way would let replays wait.
      if (signedAt(header) - now / 1000 <= TOLERANCE_S) return
      cause = new Error('The signature is from the future')
    } catch (error) {
      cause = error
    }
  }
  throw new Problem(
    'invalid_signature',
    'The signature does not match; check the signing secret and the clock of this machine',
    { cause },
  )
}

/** Seconds since 1970; as in Stripe's package, the last `t` is the one that was signed. */
function signedAt(header: string): number {
  const last = header.split(',').findLast((part) => part.startsWith('t='))
  return Number.parseInt(last?.slice(2) ?? '', 10)
}
