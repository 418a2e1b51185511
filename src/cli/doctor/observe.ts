import type { Facts } from '../../core/facts.ts'
import type { Config } from '../../local/config.ts'
import { fieldsIn, get, type Left, type Reply, type Silence } from '../service/get.ts'
import { heard } from '../service/identity.ts'
import type { Finding } from './finding.ts'
import { look, type Seen, shownBy } from './layers.ts'
import { factsOf, type OwnSecret } from './service.ts'
import { type SiteSeen, visit } from './site.ts'
import { sendNotification } from './stripe.ts'

/** What this machine knows about the service. */
export interface Known {
  /** The settings on this machine, if they are valid and the service runs here. */
  config: Config | undefined
  own: OwnSecret
  signing: OwnSecret
}

/** The responses to the requests of one round. */
export interface Observations {
  /** The service's own address. */
  url: string
  health: Reply | Silence
  /** The service's facts before the other requests, or why there are none. */
  factsBefore: Facts | Finding
  /** The facts after the other requests; `undefined` if the service didn't report them again. */
  factsAfter: Facts | undefined
  /** The responses at `url`. */
  ownResponses: Seen
  /** A later response to `GET /api/events` at `url`, to see whether the announcement changed meanwhile. */
  lastAnswer: Reply | Silence
  /** The address at which people reach the service; `null` if it isn't set. */
  publicUrl: string | null
  /** The responses at `publicUrl`, if its origin isn't that of `url`. */
  publicResponses: PublicResponses | undefined
  /** Whether the service accepted a notification; `undefined` if notifications are off. */
  notification: Finding | undefined
  sites: readonly SiteSeen[]
}

interface PublicResponses extends Seen {
  health: Reply | Silence
  /** The response to a request whose unique query bypasses any cache. */
  probe: Reply | Silence
}

const ASK_MS = 2_000
const FACTS_MS = 2_500

export const factsIn = (reported: Facts | Finding | undefined): Facts | undefined =>
  reported && 'check' in reported ? undefined : reported

/** The id that a service reports in its health check. */
export function idIn(health: Reply | Silence): string | undefined {
  const { id } = fieldsIn(health)
  return typeof id === 'string' ? id : undefined
}

/** Requests the health check. An app that mounts Placard may have none; then the API's response takes its place. */
export async function healthOf(url: string, left: Left): Promise<Reply | Silence> {
  const health = await get(`${url}/healthz`, left(FACTS_MS))
  if ('silent' in health || fieldsIn(health).ok === true) return health
  const answer = await get(`${url}/api/events`, left(FACTS_MS))
  return shownBy(answer) ? { ...health, status: 200, body: '{"ok":true}' } : heard(health)
}

/**
 * Sends all requests of a round to a service that has answered its health check.
 *
 * @param holdMs how long streams must stay open
 */
export async function observe(
  { config, own, signing }: Known,
  url: string,
  health: Reply | Silence,
  sites: readonly string[],
  holdMs: number,
  left: Left,
): Promise<Observations> {
  const factsBefore = await factsOf(url, own, 'stripe', left(FACTS_MS))
  const facts = factsIn(factsBefore)
  const isOthers = signing.id !== undefined && signing.id !== idIn(health)
  const signer = isOthers ? { ...signing, secret: undefined } : signing
  const notification =
    facts?.notifications === false
      ? undefined
      : sendNotification(url, signer, left(Number.POSITIVE_INFINITY))
  const publicUrl = facts?.publicUrl ?? config?.publicUrl ?? null
  const isElsewhere = publicUrl !== null && new URL(publicUrl).origin !== new URL(url).origin
  const [ownResponses, publicResponses] = await Promise.all([
    look(url, left(ASK_MS), holdMs),
    isElsewhere ? lookFromOutside(publicUrl, holdMs, left) : undefined,
  ])
  const factsAfter = facts && factsIn(await factsOf(url, own, '', left(FACTS_MS)))
  const lastAnswer = await get(`${url}/api/events`, left(ASK_MS))
  return {
    url,
    health,
    factsBefore,
    factsAfter,
    ownResponses,
    lastAnswer,
    publicUrl,
    publicResponses,
    sites: await Promise.all(sites.map((site) => visit(site, left))),
    notification: await notification,
  }
}

async function lookFromOutside(
  publicUrl: string,
  holdMs: number,
  left: Left,
): Promise<PublicResponses> {
  const ask = (path: string) => get(`${publicUrl}${path}`, left(ASK_MS))
  const [seen, health, probe] = await Promise.all([
    look(publicUrl, left(ASK_MS), holdMs),
    ask('/healthz'),
    ask(`/api/events?doctor=${crypto.randomUUID()}`),
  ])
  return { ...seen, health, probe }
}
