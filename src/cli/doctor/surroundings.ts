import type { Facts } from '../../core/facts.ts'
import { RESERVED_DESCRIPTORS } from '../../local/descriptors.ts'
import { fieldsIn, type Reply, type Silence } from '../service/get.ts'
import { by, type Finding } from './finding.ts'

/** Checks whether more pages can open a stream, and whether the open-file limit allows `MAX_STREAMS`. */
export function checkStreams({ background, streams }: Facts): Finding {
  const { pass, warn, fail } = by('streams')
  if (background === false) return pass('There are no streams, because no process stays alive here')
  const { open, max, wanted = max, fileLimit } = streams
  const limit = fileLimit === undefined ? '' : `; the open-file limit is ${fileLimit}`
  if (max < wanted) {
    const needed = wanted + RESERVED_DESCRIPTORS
    const message = `Only ${max} streams can be open, fewer than MAX_STREAMS (${wanted})${limit}`
    return warn(message, `Set LimitNOFILE=${needed} in the unit (or ulimit -n), and restart`)
  }
  if (open < max || max === 0) return pass(`${open} of ${max} streams are open${limit}`)
  const fix = 'Raise MAX_STREAMS as far as memory allows, or add a node: docs/scaling.md'
  return fail(`All ${max} streams are in use, so more pages may get 503`, fix)
}

/** Checks whether the last purge succeeded, if the service has a cache to purge. */
export function checkPurge({ purge }: Facts): Finding[] {
  const { pass, fail } = by('purge')
  if (!purge) return []
  if (purge.failure === undefined) return [pass('The cache accepts purges')]
  const message = `The cache can't be purged, so every write gets 503. ${purge.failure}`
  const fix = 'Start the cache, let it accept purges, or correct PURGE or PURGE_TOKEN and restart'
  return [fail(message, fix)]
}

/**
 * Checks `TRUST_PROXY` against the number of `X-Forwarded-For` entries that a request from the doctor had when it
 * reached the service (contract A2).
 *
 * @param url the service's own address: the request was sent there, unless `PUBLIC_URL` is set
 * @param health the response of `GET /healthz`, which says that number
 */
export function checkProxy(
  { trustProxy: trusted, publicUrl }: Facts,
  url: string,
  health: Reply | Silence,
): Finding {
  const { pass, warn, fail, skip } = by('proxy')
  const through = publicUrl ?? url
  const { forwarded } = fieldsIn(health)
  if (typeof forwarded !== 'number')
    return skip(`${through}/healthz doesn't say how it was reached`)
  const setTo = (number: unknown) => `Set TRUST_PROXY to ${number}, and restart`
  const addresses = forwarded === 1 ? '1 address' : `${forwarded} addresses`
  const came = `a request to ${through} came with ${addresses} in X-Forwarded-For`
  const message = `TRUST_PROXY is ${trusted}, but ${came}`
  if (forwarded === trusted) return pass(`TRUST_PROXY is ${trusted}: ${came}`)
  if (forwarded === 0 && publicUrl == null) {
    return warn(message, 'Set PUBLIC_URL, so the doctor can send a request through the proxy')
  }
  if (trusted === 0) return fail(`${message}: all clients look like one`, setTo(forwarded))
  if (forwarded > trusted) return warn(message, setTo(forwarded))
  const append =
    "Make the proxy append the client's address to X-Forwarded-For, or set TRUST_PROXY to 0"
  return fail(`${message}: clients can forge their address`, forwarded ? setTo(forwarded) : append)
}

const { pass, warn, fail } = by('clock')

/** If the service's clock is off, announcements start and end too early or too late by the same amount. */
const OFF_POSTGRES = { warnMs: 2_000, failMs: 60_000 }
/** Stripe gives times in whole seconds. The service rejects signatures more than 5 minutes off (contract W1). */
const OFF_STRIPE = { warnMs: 10_000, failMs: 240_000 }

export const SET_CLOCK = "Set the machine's clock: run chrony or systemd-timesyncd on it"

/** Compares the service's clock with those of Postgres and Stripe. */
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
    const message = `The service's clock is ${spoken} ${where} ${name}'s`
    return (off >= failMs ? fail : warn)(message, SET_CLOCK)
  }
  const names = others.map(({ name }) => name).join(' and ')
  return pass(names ? `The clock agrees with ${names}` : 'There is no other clock to compare with')
}
