import type { Facts } from '../../http/facts.ts'
import { checkDatabase } from './database.ts'
import { by, type Finding } from './finding.ts'
import { get, type Left } from './get.ts'
import { checkInside, checkPublic, type Has, look, MOVING, type Shown, shownBy } from './layers.ts'
import { factsOf, type OwnSecret } from './service.ts'
import { checkSite } from './site.ts'
import { checkProxy } from './surroundings.ts'

const ASK_MS = 2_000
const FACTS_MS = 2_500

/** Checks whose failure may pass by itself: a change on its way, a lock, a lost connection. */
const PASSING = /^(database|listen|proxy|answer|page|stream|public|site)$/

/** Whether another look is worthwhile. */
export const isPassing = ({ check, status, message }: Finding) =>
  PASSING.test(check) && (status === 'warn' || status === 'fail' || message === MOVING)

interface Target {
  url: string
  own: OwnSecret
  id: string | undefined
  publicUrl: string | null
  facts: Facts | undefined
  sites: readonly string[]
  holdMs: number
  left: Left
}

/** Checks everything once that may pass by itself: the database, the way of a request, and each layer of what shows. */
export async function round(target: Target): Promise<Finding[]> {
  const { url, own, id, publicUrl, facts: known, sites, holdMs, left } = target
  const mark = crypto.randomUUID()
  const isElsewhere = publicUrl !== null && new URL(publicUrl).origin !== new URL(url).origin
  const ask = (path: string) => get(`${publicUrl}${path}`, left(ASK_MS))
  const [inside, outside, probe, health] = await Promise.all([
    look(url, left(ASK_MS), holdMs),
    isElsewhere ? look(publicUrl, left(ASK_MS), holdMs) : undefined,
    publicUrl === null ? undefined : ask(`/api/events?doctor=${mark}`),
    isElsewhere ? ask('/healthz') : undefined,
  ])
  // Afterwards, because it tells how the marked request arrived.
  const said = known && (await factsOf(url, own, `probe=${mark}`, left(FACTS_MS)))
  const facts = said && !('check' in said) ? said : undefined
  const stored = facts?.stored as (Shown & { last: string }) | undefined
  // While others write, two answers may differ without a fault.
  const later = await get(`${url}/api/events`, left(ASK_MS))
  const moving =
    shownBy(later)?.state !== shownBy(inside.answer)?.state ||
    (known?.stored?.last ?? stored?.last) !== stored?.last
  const local = new URL(url).origin
  const origins = [publicUrl ?? [], local, local.replace('127.0.0.1', 'localhost')].flat()
  const findings = await Promise.all(sites.map((site) => checkSite(site, left, { origins, id })))
  if (facts) {
    findings.push(...checkDatabase(facts))
    findings.push(checkProxy(facts))
  }
  if (facts && !stored) {
    return [...findings, by('answer').skip("What shows by the database can't be read")]
  }
  const has: Has = { page: known?.page ?? false, stream: facts && hasPlace(facts) }
  const layers = checkInside({ ...inside, moving }, stored, has)
  findings.push(...layers)
  const shown = stored ?? shownBy(inside.answer)
  const { pass, skip } = by('public')
  if (publicUrl === null) {
    findings.push(skip('PUBLIC_URL is not set, so only this address was asked'))
  } else if (!outside || !probe || !health) {
    findings.push(pass('PUBLIC_URL is the address that was asked'))
  } else if (!shown || layers.some(({ status }) => status === 'fail')) {
    findings.push(skip('What is nearer to the database has to be mended first'))
  } else {
    const beside = { ...has, page: true, probe, health, id, inside: url }
    findings.push(checkPublic({ ...outside, moving }, beside, shown))
  }
  return findings
}

const hasPlace = ({ background, streams }: Facts) =>
  background !== false && streams.open < streams.max
