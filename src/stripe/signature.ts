import { Problem } from '../core/problem.ts'

/** The maximum difference between a signature's time and our clock, in seconds (contract W1). */
const TOLERANCE_S = 300

/**
 * Checks only the signature's header, so that the body of a request without a recent signature needn't be read.
 *
 * @param header the value of `Stripe-Signature`
 * @param now milliseconds since 1970
 * @throws Problem `invalid_signature`
 */
export function assertPlausible(header: string | null, now: number): asserts header is string {
  if (!header) throw refusal('The Stripe-Signature header is missing')
  const parts = header.split(',')
  const signedAt = signedAtOf(header)
  if (Number.isNaN(signedAt) || !parts.some((it) => /^v1=[\da-f]{64}$/.test(it))) {
    throw refusal('The Stripe-Signature header is malformed; it must be t=…,v1=…')
  }
  // Stripe's package accepts any signature with a time in the future.
  if (Math.abs(Math.floor(now / 1000) - signedAt) > TOLERANCE_S) {
    throw refusal("The signature's time is more than 5 minutes off; check this machine's clock")
  }
}

/** When Stripe signed the notification, by Stripe's clock: seconds since 1970, or `NaN` if the header has no time. */
export function signedAtOf(header: string): number {
  // If `t` is repeated, Stripe's package verifies the signature with the last one.
  const part = header.split(',').findLast((it) => it.startsWith('t='))
  return Number.parseInt(part?.slice(2) ?? '', 10)
}

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
  assertPlausible(header, now)
  // Load Stripe's package on the first notification, because it takes longer to load than any other package.
  const { default: Stripe } = await import('stripe')
  const { signature } = Stripe.webhooks
  if (!signature) throw new Error('The stripe package has no signature check')
  let cause: unknown
  for (const secret of secrets) {
    try {
      await signature.verifyHeaderAsync(payload, header, secret, TOLERANCE_S, undefined, now)
      return
    } catch (error) {
      cause = error
    }
  }
  throw refusal('The signature does not match; check the signing secret', cause)
}

function refusal(message: string, cause?: unknown): Problem {
  return new Problem('invalid_signature', message, { cause })
}
