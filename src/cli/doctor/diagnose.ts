import type { Facts } from '../../core/facts.ts'
import { concealing } from '../../core/log.ts'
import { isLoopback } from '../../core/shell-command.ts'
import { type Config, ConfigError, readAccess, readConfig } from '../../server/config.ts'
import { addressIn, bypassProxy, heard, localUrl } from '../access.ts'
import { fieldsIn, get, type Left, type Reply, type Silence } from '../get.ts'
import { checkDatabase } from './database.ts'
import { bestOf, by, CHECKS, type Finding, unusable } from './finding.ts'
import { checkInside, checkPublic, look, MOVING, type Shown, shownBy } from './layers.ts'
import { checkService, factsOf, type OwnSecret, orFault, ownSecret, type Place } from './service.ts'
import { checkSite } from './site.ts'
import { checkKey, checkNotifications } from './stripe.ts'
import { checkClock, checkProxy, checkPurge, checkStreams } from './surroundings.ts'

export interface DoctorOptions extends Place {
  /** The address of the service. Default: the one in the settings. */
  url?: string | undefined
  sites?: readonly string[] | undefined
  /** How long to repeat checks whose failure may be temporary. */
  settleMs?: number
  /** How long a stream must stay open to pass its check. */
  holdMs?: number
  /** Multiplies the timeout of each request and of the whole run. Default: 1 */
  pace?: number | undefined
}

/** The timeout of the whole run. Each request also has a timeout of its own. */
const ALL_MS = 4_400
const ASK_MS = 2_000
const FACTS_MS = 2_500
const SETTLE_MS = 2_500
const AGAIN_MS = 300
/** Long enough to catch a proxy that cuts streams off early. To catch a later cut, the run would have to be longer. */
const HOLD_MS = 1_500

/** Runs every check on a service, and changes nothing. */
export async function diagnose(options: DoctorOptions): Promise<Finding[]> {
  const { environment, directory } = options
  const isHere = options.url === undefined || isLoopback(options.url)
  const config = isHere ? orFault(() => readConfig(environment, directory)) : undefined
  const usable = config instanceof ConfigError ? undefined : config
  const isLocated = options.url !== undefined
  const own = ownSecret('EVENT_API_SECRET', options, isLocated)
  const signing = ownSecret('STRIPE_WEBHOOK_SECRET', options, isLocated)
  const findings = [
    ...checkSettings(config),
    ...(await lookAt({ ...options, config: usable, own, signing })),
  ]
  const keys = [own.secret, signing.secret, usable?.stripe?.apiKey]
  const conceal = concealing(keys.flatMap((it) => it ?? []))
  const clean = (text: string) => conceal(text).replace(/\p{Cc}+/gu, ' ')
  return findings
    .toSorted((a, b) => CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check))
    .map(({ message, fix, ...rest }) => ({
      ...rest,
      message: clean(message),
      ...(fix !== undefined && { fix: clean(fix) }),
    }))
}

function checkSettings(config: Config | ConfigError | undefined): Finding[] {
  const { pass, fail } = by('settings')
  if (config === undefined) return []
  if (!(config instanceof ConfigError)) return [pass('The settings are valid')]
  return config.faults.map((fault) => fail(...unusable(fault)))
}

interface Known extends DoctorOptions {
  /** The settings on this machine, if they are valid and the service runs here. */
  config: Config | undefined
  own: OwnSecret
  signing: OwnSecret
}

async function lookAt(options: Known): Promise<Finding[]> {
  const { signing, sites = [], settleMs = SETTLE_MS, holdMs = HOLD_MS, pace = 1 } = options
  const url = orFault(() => urlOf(options))
  if (url instanceof ConfigError) {
    return [by('service').skip("The service's address is unknown: the settings are invalid")]
  }
  bypassProxy(url)
  // Load Stripe's package before any request, because loading blocks the event loop: a request could time out.
  if (signing.secret !== undefined) await import('stripe')
  const started = performance.now()
  const elapsed = () => performance.now() - started
  const left = (ms: number) =>
    Math.max(1, Math.floor(Math.min(ms * pace, ALL_MS * pace - elapsed())))
  let findings = await round(options, url, sites, holdMs, left)
  while (elapsed() < settleMs && findings.some(isPassing)) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    findings = bestOf(findings, await round(options, url, [], 0, left))
  }
  return findings
}

/** The checks that may fail temporarily, because of a change that hasn't spread yet, a lock or a lost connection. */
const PASSING = /^(database|listen|proxy|shown|public)$/

const isPassing = ({ check, status, message }: Finding) =>
  PASSING.test(check) && (/warn|fail/.test(status) || message === MOVING)

/** @param holdMs how long streams must stay open */
async function round(
  { config, own, signing }: Known,
  url: string,
  sites: readonly string[],
  holdMs: number,
  left: Left,
): Promise<Finding[]> {
  const health = await healthOf(url, left)
  const service = checkService(url, health, own)
  if (service.status === 'fail') {
    const unseen = sites.map((site) => ({ ...by('site').skip(`${site} was not checked`), site }))
    return [service, ...unseen]
  }
  const named = fieldsIn(health).id
  const id = typeof named === 'string' ? named : undefined
  const before = await factsOf(url, own, 'stripe', left(FACTS_MS))
  const known = 'check' in before ? undefined : before
  const isOthers = signing.id !== undefined && signing.id !== id
  const signer = isOthers ? { ...signing, secret: undefined } : signing
  const sent = checkNotifications(url, signer, known, left(ALL_MS))
  const publicUrl = known?.publicUrl ?? config?.publicUrl ?? null
  const ask = (path: string) => get(`${publicUrl}${path}`, left(ASK_MS))
  const isElsewhere = publicUrl !== null && new URL(publicUrl).origin !== new URL(url).origin
  const [inside, probe, outside] = await Promise.all([
    look(url, left(ASK_MS), holdMs),
    publicUrl === null ? undefined : ask(`/api/events?doctor=${crypto.randomUUID()}`),
    isElsewhere ? Promise.all([look(publicUrl, left(ASK_MS), holdMs), ask('/healthz')]) : undefined,
  ])
  // Request the facts again, to see whether the announcement changed meanwhile. If this fails, use the first facts.
  const after = known && (await factsOf(url, own, '', left(FACTS_MS)))
  const facts = after && !('check' in after) ? after : known
  const stored = facts?.stored as (Shown & { last: string }) | undefined
  // If the announcement changes during the run, two responses may differ although nothing is wrong.
  const [first, last] = [inside.answer, await get(`${url}/api/events`, left(ASK_MS))].map(shownBy)
  const isMoving =
    (first !== undefined && last !== undefined && first.state !== last.state) ||
    (known?.stored?.last ?? stored?.last) !== stored?.last
  const hasPlace = facts && facts.background !== false && facts.streams.open < facts.streams.max
  const has = { page: known?.page ?? false, stream: hasPlace, isMoving }
  const shown =
    facts && !stored
      ? by('shown').skip("The service couldn't read the announcement from the database")
      : checkInside(inside, stored, has)

  function checkOutside(): Finding {
    const { pass, skip } = by('public')
    if (publicUrl === null) return skip('PUBLIC_URL is not set, so no public address was checked')
    if (!outside || !probe) return pass('PUBLIC_URL is the address that “shown” checked')
    const reference = stored ?? first
    if (!reference || (shown.status !== 'pass' && shown.message !== MOVING)) {
      return skip('Not checked until “shown” passes')
    }
    const [seen, health] = outside
    const beside = { has: { ...has, page: true }, probe, health, id, inside: url }
    return checkPublic(seen, reference, beside)
  }

  // Another service at the public address says nothing about this one.
  const isOwn = !outside || fieldsIn(outside[1]).id === named
  const reached = isOwn ? (outside?.[1] ?? health) : undefined
  const local = new URL(url).origin
  const origins = [publicUrl ?? [], local, local.replace('127.0.0.1', 'localhost')].flat()
  return [
    service,
    ...(known ? factsFound(known, own) : [before as Finding]),
    ...(facts ? checkDatabase(facts) : []),
    ...(facts && reached ? [checkProxy({ ...facts, publicUrl }, url, reached)] : []),
    ...[shown, checkOutside()],
    ...(await Promise.all(sites.map((site) => checkSite(site, left, { origins, id })))),
    await sent,
  ]
}

/** The findings from the service's own facts. */
const factsFound = (facts: Facts, { origin }: OwnSecret): Finding[] => [
  by('secret').pass(`The service accepts the secret from ${origin}`),
  // This check always passes, because the service doesn't start on a version of Node that is too old.
  ...(facts.node === undefined ? [] : [by('node').pass(`Node ${facts.node}`)]),
  ...[checkStreams(facts), ...checkPurge(facts), checkClock(facts), checkKey(facts)],
]

/** Requests the health check. An app that mounts Placard may have none; then the API's response takes its place. */
async function healthOf(url: string, left: Left): Promise<Reply | Silence> {
  const health = await get(`${url}/healthz`, left(FACTS_MS))
  if ('silent' in health || fieldsIn(health).ok === true) return health
  const answer = await get(`${url}/api/events`, left(FACTS_MS))
  return shownBy(answer) ? { ...health, status: 200, body: '{"ok":true}' } : heard(health)
}

function urlOf({ url, environment, directory }: DoctorOptions): string {
  if (url !== undefined) return addressIn(url)
  return localUrl(readAccess({ port: true }, environment, directory))
}
