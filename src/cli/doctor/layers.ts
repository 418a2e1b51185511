import { bareTag } from '../../core/etag.ts'
import { fieldsIn, get, type Reply, type Silence, sayOf } from '../service/get.ts'
import { strangerIn } from '../service/identity.ts'
import { by, type Finding } from './finding.ts'

/** The responses to the requests that a browser would send to one of the service's addresses. */
export interface Seen {
  url: string
  /** The response to `GET /api/events`. */
  answer: Reply | Silence
  page: Reply | Silence
  stream: Reply | Silence
}

/** The live event (or `null`). `state` is the response's ETag without quotes (`''` if unknown). */
export interface Shown {
  event: unknown
  state: string
}

/** The features of the service that the checks depend on, and whether its announcement is changing. */
export interface Has {
  page: boolean
  /** Whether the service can open another stream; `undefined` if the service's facts are unknown. */
  stream: boolean | undefined
  /** Whether the announcement changed during the run; if so, responses may differ although nothing is wrong. */
  isMoving: boolean
}

export const MOVING = "The announcement keeps changing, so responses can't be compared"

/** @param holdMs how long the stream must stay open */
export async function look(url: string, ms: number, holdMs: number): Promise<Seen> {
  const [answer, page, stream] = await Promise.all([
    get(`${url}/api/events`, ms),
    get(`${url}/`, ms),
    get(`${url}/api/events/stream`, ms, { until: (body) => body.includes('\n\n'), holdMs }),
  ])
  return { url, answer, page, stream }
}

/** The announcement in a response to `GET /api/events`; `undefined` if the response isn't Placard's. */
export function shownBy(answer: Reply | Silence): Shown | undefined {
  const { event } = fieldsIn(answer)
  if ('silent' in answer || answer.status !== 200 || event === undefined) return undefined
  return { event, state: bareTag(answer.headers.get('etag') ?? '') }
}

const LOG = "Look in the service's log, or give the right address with --url"
const RENEW = 'Restart the service, or purge the tag “event” from its cache: docs/scaling.md'
const PASS_ON = 'Make the proxy pass the stream on without buffering, caching or a timeout'
const UNCUT = 'Raise the response timeout of the proxy or platform: docs/proxies.md'

/**
 * Finds the first fault at an address. Checks the API's response first: if it is out of date, the page and the stream
 * usually are too.
 */
function faultIn({ url, answer, page, stream }: Seen, shown: Shown, has: Has) {
  const found = shownBy(answer)
  if (found && !same(found, shown)) {
    const message = `${url}/api/events shows ${textOf(found)}, not ${textOf(shown)}`
    return { message, fix: RENEW }
  }
  const state = 'silent' in page ? undefined : /<body data-state="([^"]*)"/.exec(page.body)?.[1]
  if (has.page && state !== undefined && state !== shown.state) {
    return { message: `${url}/ is out of date: it should show ${textOf(shown)}`, fix: RENEW }
  }
  if (has.page && state === undefined && ('silent' in page || page.status >= 500)) {
    return { message: `${url}/ ${sayOf(page)}`, fix: LOG }
  }
  // On platforms where no process stays alive, a request for the stream gets 204 (contract N2).
  const hasStream = has.stream ?? ('silent' in stream || stream.status !== 204)
  if (!hasStream) return undefined
  const live = `${url}/api/events/stream`
  const told = toldBy(stream)
  if (!told) return { message: `${live} ${sayOf(stream)}`, fix: PASS_ON }
  if (!same(told, shown)) {
    const message = `${live} is out of date: it sends ${textOf(told)}, not ${textOf(shown)}`
    return { message, fix: RENEW }
  }
  const cut = 'silent' in stream ? undefined : stream.endedAfter
  if (cut === undefined) return undefined
  return { message: `${live} was cut off after ${cut}, but should stay open`, fix: UNCUT }
}

/**
 * Checks whether the API, the page and the stream at the service's own address show the same announcement.
 *
 * @param stored the live announcement according to the database; if undefined, the API's response is the reference
 */
export function checkInside(seen: Seen, stored: Shown | undefined, has: Has): Finding {
  const { pass, skip, fail } = by('shown')
  const { url, answer } = seen
  const found = shownBy(answer)
  if (!found) return fail(`${url}/api/events ${sayOf(answer)}`, LOG)
  if (!('silent' in answer) && answer.headers.get('placard-stale') === '1') {
    const fix = 'Fix the database first: look in the log for “serving the last known announcement”'
    return fail(`${url}/api/events can only serve the last known announcement`, fix)
  }
  const shown = stored ?? found
  const fault = faultIn(seen, shown, has)
  if (fault?.fix === RENEW && has.isMoving) return skip(MOVING)
  return fault ? fail(fault.message, fault.fix) : pass(`${url} shows ${textOf(shown)}`)
}

/** The data that the check of the public address needs in addition to the responses. */
interface Beside {
  has: Has
  /** The response to a request whose unique query bypasses any cache. */
  probe: Reply | Silence
  health: Reply | Silence
  id: string | undefined
  /** The service's own address, behind the public one. */
  inside: string
}

/** Error codes for certificates that every browser rejects. */
const BAD_CERTIFICATE =
  /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID|SELF_SIGNED/

/** Checks the responses that a browser gets through the public address. */
export function checkPublic(seen: Seen, shown: Shown, beside: Beside): Finding {
  const { pass, skip, warn, fail } = by('public')
  const { url, answer } = seen
  const { has, probe, health, id, inside } = beside
  const lead = `Make the proxy of ${url} forward requests to ${inside}: docs/self-hosting.md`
  if ('silent' in answer && BAD_CERTIFICATE.test(answer.code)) {
    const fix = 'Get a certificate for that name from an authority that browsers trust'
    return fail(`${url}: ${answer.silent}`, fix)
  }
  if ('silent' in answer) {
    const fix = "If a browser elsewhere can't reach it either, check DNS, the proxy and PUBLIC_URL"
    return warn(`${url} can't be reached from this machine: ${answer.silent}`, fix)
  }
  if (answer.status === 401 || answer.status === 403) {
    const message = `${url} requires a sign-in (${answer.status}), which blocks the bar on other pages too`
    return warn(message, 'Exempt /api/events, its stream, /embed.json and /embed.js from sign-in')
  }
  if (!shownBy(answer)) return fail(`${url}/api/events ${sayOf(answer)}`, lead)
  const isNamed = typeof fieldsIn(health).id === 'string' && !('silent' in health)
  const stranger = isNamed ? strangerIn(health, id) : undefined
  if (stranger !== undefined) return fail(`${url} is ${stranger}`, lead)
  const fault = faultIn(seen, shown, has)
  if (!fault) return pass(`A browser gets the same announcement through ${url}`)
  const { message, fix } = fault
  if (fix !== RENEW) return fail(message, fix)
  if (has.isMoving) return skip(MOVING)
  const fresh = shownBy(probe)
  const isCached = fresh !== undefined && same(fresh, shown)
  // If even the response that can't come from a cache is wrong, another server probably answers at the public address.
  return isCached ? fail(`A cache is out of date: ${message}`, fix) : fail(message, lead)
}

function toldBy(stream: Reply | Silence): Shown | undefined {
  if ('silent' in stream || stream.status !== 200) return undefined
  const [, data = ''] = /^data: (.*)$/m.exec(stream.body) ?? []
  const { event } = fieldsIn({ ...stream, body: data })
  return event === undefined ? undefined : { event, state: '' }
}

const same = (one: Shown, other: Shown) => JSON.stringify(one.event) === JSON.stringify(other.event)

const MAX_TEXT = 40

function textOf({ event }: Shown): string {
  const { text } = (event ?? {}) as { text?: unknown }
  if (typeof text !== 'string') return 'nothing'
  return `“${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text}”`
}
