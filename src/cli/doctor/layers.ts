import { strangerIn } from '../right-service.ts'
import { type Check, type Finding, fail, pass, skip, warn } from './finding.ts'
import { type Answer, fieldsIn, get, type Silence } from './get.ts'

/** One address of the service, looked at as a browser does. */
export interface Seen {
  url: string
  answer: Answer | Silence
  page: Answer | Silence
  stream: Answer | Silence
  /** Whether what shows has changed meanwhile. Then two answers may differ, and none is behind. */
  moving?: boolean
}

/** What shows: the event, and the ETag that stands for it. */
export interface Shown {
  event: unknown
  state: string
}

/** @param holdMs for so long, the stream has to stay open */
export async function look(url: string, ms: number, holdMs: number): Promise<Seen> {
  const [answer, page, stream] = await Promise.all([
    get(`${url}/api/events`, ms),
    get(`${url}/`, ms),
    get(`${url}/api/events/stream`, ms, {}, (body) => body.includes('\n\n'), holdMs),
  ])
  return { url, answer, page, stream }
}

export const MOVING = 'What shows changes faster than two answers can be compared'

/** One shows something else than another: a fault, unless what shows was changed in between. */
const behind = (check: Check, moving: boolean | undefined, message: string, mend: string) =>
  moving ? skip(check, MOVING) : fail(check, message, mend)

/** What an answer of `GET /api/events` shows; `undefined` if it is none. */
export function shownBy(answer: Answer | Silence): Shown | undefined {
  const { event } = fieldsIn(answer)
  if ('silent' in answer || answer.status !== 200 || event === undefined) return undefined
  // Proxies turn strong tags into weak ones, and name encodings in them.
  const state = /"([^"]*?)(-gz|-br|;gzip)?"/.exec(answer.headers.get('etag') ?? '')?.[1] ?? ''
  return { event, state }
}

/** Whether one more page can follow the stream; `none` where no process stays alive, and `unknown` without the secret. */
export type StreamPlace = 'free' | 'full' | 'none' | 'unknown'

/**
 * Which layer is behind: the node's answer, its page or its stream. Only the first is named, because those behind it can
 * be no newer.
 *
 * @param stored what the database says; without it, the answer is the measure
 * @param has whether there is a page, and a place on the stream
 */
export function checkInside(
  seen: Seen,
  stored: Shown | undefined,
  has: { page: boolean; stream: StreamPlace },
): Finding[] {
  const { url, answer, moving } = seen
  const shown = shownBy(answer)
  const endpoint = `${url}/api/events`
  if (!shown) {
    const mend = 'Look into the log of the service, or give its address with --url'
    return [fail('answer', `${endpoint} ${sayOf(answer)}`, mend)]
  }
  if (!('silent' in answer) && answer.headers.get('placard-stale') === '1') {
    const mend = 'Mend the database first: the log says “serving the last known announcement”'
    return [fail('answer', `${endpoint} answers what was last known`, mend)]
  }
  if (stored && !same(shown, stored)) {
    const message = `${endpoint} shows ${textOf(shown)}, and the database has ${textOf(stored)}`
    const mend =
      'Restart the service, as it does not notice what others write; or purge a cache there'
    return [behind('answer', moving, message, mend)]
  }
  const said = stored ? 'what the database has' : 'what follows'
  const findings = [pass('answer', `${endpoint} shows ${said}: ${textOf(shown)}`)]
  const layers = [
    ...(has.page ? [checkPage(seen, shown)] : []),
    ...(has.stream === 'full' ? [] : [checkStream(seen, shown, has.stream)]),
  ]
  for (const layer of layers) {
    findings.push(layer)
    if (layer.status === 'fail') break
  }
  return findings
}

function checkPage({ url, page, moving }: Seen, shown: Shown): Finding {
  const state = stateOf(page)
  // Where a proxy passes only some paths on, that one is another's.
  if (state === undefined && 'status' in page && page.status < 500) {
    return skip('page', `${url}/ answers ${page.status}, and is no page of Placard`)
  }
  if (state === undefined) {
    const mend = 'Look into the log of the service; PUBLIC_PAGE=off closes the page'
    return fail('page', `The page at ${url}/ ${sayOf(page)}`, mend)
  }
  if (state === shown.state) return pass('page', `The page at ${url}/ shows the same`)
  const mend = 'Restart the service; or purge a cache at that address'
  const message = `The page at ${url}/ is behind: it does not show ${textOf(shown)}`
  return behind('page', moving, message, mend)
}

function checkStream({ url, stream, moving }: Seen, shown: Shown, place: StreamPlace): Finding {
  const endpoint = `${url}/api/events/stream`
  if (place !== 'free' && 'status' in stream && stream.status === 204) {
    const message = `${endpoint} answers 204, as it does where no process stays alive`
    return place === 'none' ? pass('stream', message) : skip('stream', message)
  }
  const told = toldBy(stream)
  if (!told) {
    const mend = `Have what stands at that address pass it on at once: no buffering, no time limit`
    return fail('stream', `${endpoint} ${sayOf(stream)}`, mend)
  }
  const cut = cutOf(stream)
  const agrees = same(told, shown)
  if (cut && (agrees || moving)) return fail('stream', `${endpoint} ${cut}`, UNCUT)
  if (agrees) return pass('stream', `${endpoint} tells the same`)
  const message = `${endpoint} is behind: it tells ${textOf(told)}, not ${textOf(shown)}`
  const mend = 'Restart the service; or have a cache there leave the stream alone'
  return behind('stream', moving, message, mend)
}

const UNCUT = 'Raise the time that a proxy or platform there allows an answer: docs/proxies.md'

/** That something ends the stream as soon as it has begun, so that each page asks for it again and again. */
function cutOf(stream: Answer | Silence): string | undefined {
  if ('silent' in stream || stream.endedAfter === undefined) return undefined
  return `is cut after ${stream.endedAfter}, though it should stay open`
}

/** What is known beside what the public address answers. */
interface Beside {
  /** Its answer to a request that no cache can have. */
  probe: Answer | Silence
  /** Its `/healthz`. */
  health: Answer | Silence
  /** The id of the service, if it has one. */
  id: string | undefined
  /** Where the service was asked. */
  inside: string
  stream: StreamPlace
}

/** What a browser gets through the public address. */
export function checkPublic(seen: Seen, beside: Beside, shown: Shown): Finding {
  const { url, answer, page, stream, moving } = seen
  const { probe, health, id, inside } = beside
  const lead = `Have the proxy of ${url} pass requests on to ${inside}: docs/self-hosting.md`
  const outside = shownBy(answer)
  if (!outside) return unreachable(url, answer, lead)
  const isNamed = typeof fieldsIn(health).id === 'string' && !('silent' in health)
  const stranger = isNamed ? strangerIn(health, id) : undefined
  if (stranger !== undefined) return fail('public', `${url} is ${stranger}`, lead)
  const purge = 'Purge the tag event there, and let the cache obey Cache-Control: docs/scaling.md'
  if (!same(outside, shown)) {
    const differs = `${url}/api/events shows ${textOf(outside)}, not ${textOf(shown)}`
    const fresh = shownBy(probe)
    return fresh && same(fresh, shown)
      ? behind('public', moving, `A cache is behind: ${differs}`, purge)
      : behind('public', moving, differs, lead)
  }
  const state = stateOf(page)
  if (state !== undefined && state !== shown.state) {
    return behind('public', moving, `A cache is behind: ${url}/ is an older page`, purge)
  }
  const told = toldBy(stream)
  const isOwed = beside.stream === 'free' || beside.stream === 'unknown'
  const cut = cutOf(stream)
  if (isOwed && cut && told && (moving || same(told, shown)))
    return fail('public', `${url}/api/events/stream ${cut}`, UNCUT)
  if (isOwed && !(told && same(told, shown))) {
    const said = told ? `tells ${textOf(told)}, not ${textOf(shown)}` : sayOf(stream)
    const mend = 'Have the proxy pass that path on at once: no buffering, no cache, no time limit'
    return behind('public', moving && told !== undefined, `${url}/api/events/stream ${said}`, mend)
  }
  return pass('public', `A browser gets the same through ${url}`)
}

/** Certificates that every browser refuses. */
const BAD_CERTIFICATE =
  /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID|SELF_SIGNED/

function unreachable(url: string, answer: Answer | Silence, lead: string): Finding {
  if ('silent' in answer) {
    if (BAD_CERTIFICATE.test(answer.code)) {
      return fail(
        'public',
        `${url}: ${answer.silent}`,
        'Get a certificate of that name, of an authority that browsers trust',
      )
    }
    const message = `${url} can not be reached from this machine: ${answer.silent}`
    const mend = 'look at DNS and the proxy, or PUBLIC_URL is wrong'
    return warn('public', message, `If a browser elsewhere can not either, ${mend}`)
  }
  if (answer.status === 401 || answer.status === 403) {
    const message = `${url} asks for a sign-in first (${answer.status}), also of pages that embed the bar`
    return warn('public', message, 'Let /api/events, /embed.html and their files pass without it')
  }
  return fail('public', `${url}/api/events ${sayOf(answer)}`, lead)
}

/** The state that a page of ours names. */
function stateOf(page: Answer | Silence): string | undefined {
  return 'silent' in page ? undefined : /<body data-state="([^"]*)"/.exec(page.body)?.[1]
}

/** What the first message of a stream tells. */
function toldBy(stream: Answer | Silence): Shown | undefined {
  if ('silent' in stream || stream.status !== 200) return undefined
  const [, data = ''] = /^data: (.*)$/m.exec(stream.body) ?? []
  const { event } = fieldsIn({ ...stream, body: data })
  return event === undefined ? undefined : { event, state: '' }
}

const same = (one: Shown, other: Shown) => JSON.stringify(one.event) === JSON.stringify(other.event)

function sayOf(answer: Answer | Silence): string {
  if ('silent' in answer)
    return `gives ${answer.code === 'TIMEOUT' ? '' : 'no answer: '}${answer.silent}`
  return `answers ${answer.status}, but not as Placard does`
}

const MAX_TEXT = 40

function textOf({ event }: Shown): string {
  const { text } = (event ?? {}) as { text?: unknown }
  if (typeof text !== 'string') return 'nothing'
  return `“${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text}”`
}
