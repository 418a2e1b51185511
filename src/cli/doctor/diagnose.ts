import { concealing } from '../../core/log.ts'
import { type Config, ConfigError, readAccess, readConfig } from '../../server/config.ts'
import { addressIn, localUrl } from '../access.ts'
import { bestOf, by, CHECKS, type Finding } from './finding.ts'
import { type Answer, fieldsIn, get, type Left, type Silence } from './get.ts'
import { shownBy } from './layers.ts'
import { isPassing, round } from './round.ts'
import {
  checkNode,
  checkService,
  checkSettings,
  factsOf,
  type OwnSecret,
  orFault,
  ownSecret,
  type Place,
} from './service.ts'
import { checkKey, checkNotifications } from './stripe.ts'
import { checkClock, checkPurge, checkStreams } from './surroundings.ts'

export interface DoctorOptions extends Place {
  /** The address of the service. Default: by the settings. */
  url?: string | undefined
  sites?: readonly string[] | undefined
  /** How long failures that may pass by themselves are checked again. */
  settleMs?: number
  /** How long a stream must stay open. */
  holdMs?: number
  /** A factor for the deadlines of all questions. Default: 1 */
  pace?: number | undefined
}

/** The deadline of the whole run. Each question has its own too. */
const ALL_MS = 4_400
const HEALTH_MS = 2_500
const FACTS_MS = 2_500
const SETTLE_MS = 2_500
const AGAIN_MS = 300
/** A proxy that takes a stream for a hanging answer cuts it within this time, or much later. */
const HOLD_MS = 1_500
/** The bound of a quick run, without the time for which streams are held. */
const QUICK_MS = 1_000

/** Checks a service from all sides, and changes nothing. */
export async function diagnose(options: DoctorOptions): Promise<Finding[]> {
  const { environment, directory } = options
  const isHere = options.url === undefined || isThisMachine(options.url)
  const config = isHere ? orFault(() => readConfig(environment, directory)) : undefined
  const usable = config instanceof ConfigError ? undefined : config
  const own = ownSecret('EVENT_API_SECRET', options)
  const signing = ownSecret('STRIPE_WEBHOOK_SECRET', options)
  const findings = [
    ...(config ? checkSettings(config) : []),
    ...(await lookAt({ ...options, config: usable, own, signing })),
  ]
  const secrets = [own.secret, signing.secret, usable?.stripe?.apiKey].flatMap((it) => it ?? [])
  const conceal = concealing(secrets)
  const clean = (text: string) => conceal(text).replace(/\p{Cc}+/gu, ' ')
  return findings
    .toSorted((a, b) => CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check))
    .map(({ message, mend, ...rest }) => ({
      ...rest,
      message: clean(message),
      ...(mend !== undefined && { mend: clean(mend) }),
    }))
}

interface Known extends DoctorOptions {
  /** The settings of this machine, if they are valid and belong to the service. */
  config: Config | undefined
  own: OwnSecret
  signing: OwnSecret
}

async function lookAt(options: Known): Promise<Finding[]> {
  const { config, own, signing, sites = [], settleMs = SETTLE_MS, holdMs = HOLD_MS } = options
  const { pace = 1 } = options
  // Needed to sign a notification. Loaded first, because loading blocks reading, and deadlines would pass.
  if (signing.secret !== undefined) await import('stripe')
  const started = performance.now()
  const elapsed = () => performance.now() - started
  const left = (ms: number) =>
    Math.max(1, Math.floor(Math.min(ms * pace, ALL_MS * pace - elapsed())))
  const url = orFault(() => urlOf(options))
  if (url instanceof ConfigError) {
    return [by('service').skip('Without a valid PORT, nobody knows where the service is')]
  }
  const health = await healthOf(url, left)
  const service = checkService(url, health, own)
  if (service.status === 'fail') {
    const unseen = sites.map((site) => ({ ...by('site').skip(`${site} was not looked at`), site }))
    return [service, ...unseen]
  }

  const named = fieldsIn(health).id
  const id = typeof named === 'string' ? named : undefined
  const first = await factsOf(url, own, 'stripe', left(FACTS_MS))
  const facts = 'check' in first ? undefined : first
  const isOthers = signing.id !== undefined && signing.id !== id
  const signer = isOthers ? { ...signing, secret: undefined } : signing
  const sent = checkNotifications(url, signer, facts, left(ALL_MS))
  const publicUrl = facts?.publicUrl ?? config?.publicUrl ?? null
  const look = (pages: readonly string[], holdMs: number) =>
    round({ url, own, id, publicUrl, facts, sites: pages, holdMs, left })
  let passing = await look(sites, holdMs)
  // A second look at slow pages would take longer than the 5 s of a run.
  const again = elapsed() - holdMs < QUICK_MS * pace ? sites : []
  const mayPass = (it: Finding) => isPassing(it) && (it.check !== 'site' || again.length > 0)
  while (elapsed() < settleMs && passing.some(mayPass)) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    passing = bestOf(passing, await look(again, 0))
  }
  if ('check' in first) return [service, first, ...passing, await sent]
  return [
    service,
    by('secret').pass(`The service takes the secret from ${own.origin}`),
    ...(first.node === undefined ? [] : [checkNode(first.node)]),
    ...[checkStreams(first), ...checkPurge(first), checkClock(first), checkKey(first)],
    ...passing,
    await sent,
  ]
}

/** An app that mounts Placard needn't have a health check, but it answers reads. */
async function healthOf(url: string, left: Left): Promise<Answer | Silence> {
  const health = await get(`${url}/healthz`, left(HEALTH_MS))
  if ('silent' in health || fieldsIn(health).ok === true) return health
  const answer = await get(`${url}/api/events`, left(HEALTH_MS))
  return shownBy(answer) ? { ...health, status: 200, body: '{"ok":true}' } : health
}

function urlOf({ url, environment, directory }: DoctorOptions): string {
  if (url !== undefined) return addressIn(url)
  return localUrl(readAccess({ port: true }, environment, directory))
}

function isThisMachine(url: string): boolean {
  const { hostname = '' } = URL.canParse(url) ? new URL(url) : {}
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}
