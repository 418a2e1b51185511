import type { Facts } from '../../http/facts.ts'
import { RESERVED_DESCRIPTORS } from '../../server/descriptors.ts'
import { by, type Finding } from './finding.ts'

/** Fewer requests than this prove nothing. */
const ENOUGH_REQUESTS = 5

/** Checks whether pages can follow the stream: the limit of open files against `MAX_STREAMS`. */
export function checkStreams({ background, streams }: Facts): Finding {
  const { pass, warn, fail } = by('streams')
  if (background === false) return pass('No stream: no process stays alive here')
  const { open, max, wanted = max, fileLimit } = streams
  const limit = fileLimit === undefined ? '' : `; ${fileLimit} files may be open`
  if (max < wanted) {
    const needed = wanted + RESERVED_DESCRIPTORS
    const message = `Only ${max} pages can follow the stream, not the ${wanted} of MAX_STREAMS${limit}`
    return warn(message, `Set LimitNOFILE=${needed} in the systemd unit (ulimit -n), and restart`)
  }
  if (open < max || max === 0)
    return pass(`${open} of ${max} places on the stream are taken${limit}`)
  const fix = 'Raise MAX_STREAMS as far as memory allows, or add a node: docs/scaling.md'
  return fail(`All ${max} places are taken, so further pages get 503`, fix)
}

/** Checks whether the cache in front, if there is one, did its last purge. */
export function checkPurge({ purge }: Facts): Finding[] {
  const { pass, fail } = by('purge')
  if (!purge) return []
  if (purge.failure === undefined) return [pass('The cache in front is purged')]
  const message = `The cache in front is not purged, so every write gets 503. ${purge.failure}`
  return [fail(message, 'Correct PURGE and PURGE_TOKEN, and restart; or open the cache to purges')]
}

/** Checks `TRUST_PROXY` by a request through the public address, else by the requests so far. */
export function checkProxy({ proxy, publicUrl }: Facts): Finding {
  const { pass, warn, fail } = by('proxy')
  const { trusted, probe, all, forwarded } = proxy
  const setTo = (number: unknown) => `Set TRUST_PROXY to ${number}, and restart`
  if (probe !== undefined) {
    const came = `a request through ${publicUrl} came with ${probe} in X-Forwarded-For`
    const message = `TRUST_PROXY is ${trusted}, but ${came}`
    if (probe === trusted) return pass(`TRUST_PROXY is ${trusted}: ${came}`)
    if (trusted === 0) return fail(`${message}: all clients count as one`, setTo(probe))
    if (probe > trusted) return warn(message, setTo(probe))
    const append = 'Have the proxy append the client to X-Forwarded-For, or set TRUST_PROXY to 0'
    return fail(`${message}: clients can choose their address`, probe ? setTo(probe) : append)
  }
  const message = `TRUST_PROXY is ${trusted}, and ${forwarded} of ${all} requests came with X-Forwarded-For`
  const isLikely = trusted === 0 ? forwarded < 0.9 * all : forwarded > 0
  if (all >= ENOUGH_REQUESTS && !isLikely) {
    return warn(message, setTo('the number of proxies in front'))
  }
  if (trusted === 0 || publicUrl != null) return pass(message)
  return warn(message, 'Set PUBLIC_URL, and the doctor asks through the proxy itself')
}

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
