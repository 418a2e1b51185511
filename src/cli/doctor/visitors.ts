import type { Facts } from '../../http/facts.ts'
import { RESERVED_DESCRIPTORS } from '../../server/descriptors.ts'
import { type Finding, fail, pass, skip, warn } from './finding.ts'

/** With fewer requests than that, nothing follows from them. */
const ENOUGH_REQUESTS = 5

/** Whether pages can follow the stream: the limit of open files against `MAX_STREAMS`. */
export function checkStreams({ background, streams }: Facts): Finding {
  if (background === false) {
    return pass('streams', 'There is no stream where no process stays alive')
  }
  const { open, max, wanted = max, fileLimit } = streams
  if (wanted === 0) return pass('streams', 'MAX_STREAMS is 0: no page follows the stream')
  const limit = fileLimit === undefined ? '' : `; ${fileLimit} files may be open`
  if (max < wanted) {
    const needed = wanted + RESERVED_DESCRIPTORS
    const message = `Only ${max} pages can follow the stream, not the ${wanted} of MAX_STREAMS${limit}`
    const mend = `Set LimitNOFILE=${needed} in the systemd unit (ulimit -n ${needed}), and restart`
    return warn('streams', message, mend)
  }
  if (open >= max) {
    const mend = 'Raise MAX_STREAMS as far as memory allows, or add a node: docs/scaling.md'
    return fail('streams', `All ${max} places are taken, so further pages get 503`, mend)
  }
  return pass(
    'streams',
    `${open} of ${max} places are taken by pages that follow the stream${limit}`,
  )
}

/** Whether the cache in front, if there is one, did what it was last asked for. */
export function checkPurge({ purge }: Facts): Finding[] {
  if (!purge) return []
  if (purge.failure === undefined) return [pass('purge', 'The cache in front is purged')]
  const message = `The cache in front is not purged, so every write is answered 503. ${purge.failure}`
  const mend =
    'Correct PURGE and PURGE_TOKEN, and restart; or let the cache take requests from here'
  return [fail('purge', message, mend)]
}

/** `TRUST_PROXY` against what arrives: by a request through the public address, else by those that came so far. */
export function checkProxy({ forwarded, publicUrl }: Facts): Finding {
  const { trusted, probe } = forwarded
  if (probe !== undefined) return checkProbe(trusted, probe, publicUrl ?? '')
  const { local, direct, some, enough } = forwarded
  const others = trusted === 0 ? local + direct : direct
  const all = some + others
  if (all >= ENOUGH_REQUESTS && trusted === 0 && some >= 0.9 * all) {
    const message = `${some} of ${all} requests came with X-Forwarded-For, but TRUST_PROXY is 0`
    return warn('proxy', `${message}: all clients of a proxy count as one`, setTo('the number'))
  }
  if (all >= ENOUGH_REQUESTS && trusted > 0 && enough === 0) {
    const lacking = `none of ${all} requests came with so many entries of X-Forwarded-For`
    return fail('proxy', `TRUST_PROXY is ${trusted}, but ${lacking}`, setTo('the number'))
  }
  if (trusted === 0 || enough > 0) {
    return pass(
      'proxy',
      `TRUST_PROXY is ${trusted}, and nothing that came so far speaks against it`,
    )
  }
  const message = `TRUST_PROXY is ${trusted}, and no request has shown yet whether that is right`
  return publicUrl == null
    ? warn('proxy', message, 'Set PUBLIC_URL, and the doctor asks through the proxy itself')
    : skip('proxy', message)
}

function checkProbe(trusted: number, entries: number, publicUrl: string): Finding {
  const came = `a request through ${publicUrl} came with ${entries} in X-Forwarded-For`
  if (entries === trusted) return pass('proxy', `TRUST_PROXY is ${trusted}: ${came}`)
  const message = `TRUST_PROXY is ${trusted}, but ${came}`
  if (entries < trusted) {
    const append = 'Have the proxy append the client to X-Forwarded-For, or set TRUST_PROXY to 0'
    const mend = entries === 0 ? append : setTo(String(entries))
    return fail('proxy', `${message}: clients can choose their address`, mend)
  }
  if (trusted === 0) {
    return fail('proxy', `${message}: all clients count as one`, setTo(String(entries)))
  }
  return warn('proxy', message, setTo(String(entries)))
}

const setTo = (number: string) =>
  `Set TRUST_PROXY to ${number}${/\d/.test(number) ? '' : ' of proxies in front'}, and restart`
