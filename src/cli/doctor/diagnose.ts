import { redactor } from '../../core/log.ts'
import { isLoopback } from '../../core/shell-command.ts'
import { type Config, ConfigError, readAccess, readConfig } from '../../local/config.ts'
import { addressIn, bypassProxy, connectUrl } from '../service/address.ts'
import type { Left } from '../service/get.ts'
import { bestOf, by, CHECKS, type Finding, problemAndFix } from './finding.ts'
import { judge } from './judge.ts'
import { MOVING } from './layers.ts'
import { healthOf, type Known, observe } from './observe.ts'
import { checkService, orFault, ownSecret, type Place } from './service.ts'

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
    ...(await runChecks({ ...options, config: usable, own, signing })),
  ]
  const keys = [own.secret, signing.secret, usable?.stripe?.apiKey]
  const redact = redactor(keys.flatMap((it) => it ?? []))
  const clean = (text: string) => redact(text).replace(/\p{Cc}+/gu, ' ')
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
  return config.faults.map((fault) => fail(...problemAndFix(fault)))
}

async function runChecks(options: DoctorOptions & Known): Promise<Finding[]> {
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
  while (elapsed() < settleMs && findings.some(mayBeTemporary)) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    findings = bestOf(findings, await round(options, url, [], 0, left))
  }
  return findings
}

/** The checks that may fail temporarily, because of a change that hasn't spread yet, a lock or a lost connection. */
const TEMPORARY = /^(database|listen|proxy|shown|public)$/

const mayBeTemporary = ({ check, status, message }: Finding) =>
  TEMPORARY.test(check) && (/warn|fail/.test(status) || message === MOVING)

async function round(
  known: Known,
  url: string,
  sites: readonly string[],
  holdMs: number,
  left: Left,
): Promise<Finding[]> {
  const health = await healthOf(url, left)
  const service = checkService(url, health, known.own)
  // The secret is only for the service that it belongs to.
  if (service.status === 'fail') {
    const unseen = sites.map((site) => ({ ...by('site').skip(`${site} was not checked`), site }))
    return [service, ...unseen]
  }
  return [service, ...judge(await observe(known, url, health, sites, holdMs, left), known.own)]
}

function urlOf({ url, environment, directory }: DoctorOptions): string {
  if (url !== undefined) return addressIn(url)
  return connectUrl(readAccess({ port: true }, environment, directory))
}
