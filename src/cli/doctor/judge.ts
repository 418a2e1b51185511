import type { Facts } from '../../core/facts.ts'
import { checkDatabase } from './database.ts'
import { by, type Finding } from './finding.ts'
import { checkInside, checkPublic, type Has, MOVING, type Shown, shownBy } from './layers.ts'
import { factsIn, idIn, type Observations } from './observe.ts'
import type { OwnSecret } from './service.ts'
import { checkSite } from './site.ts'
import { checkKey, checkNotifications } from './stripe.ts'
import { checkClock, checkProxy, checkPurge, checkStreams } from './surroundings.ts'

/** Judges the responses of a round. Sends nothing. */
export function judge(seen: Observations, own: OwnSecret): Finding[] {
  const { factsBefore, factsAfter } = seen
  const reported = factsIn(factsBefore)
  const latest = factsAfter ?? reported
  const has = featuresOf(seen, reported, latest)
  const shown = checkShown(seen, latest, has)
  return [
    ...('check' in factsBefore ? [factsBefore] : checkFacts(factsBefore, own)),
    ...(latest ? [...checkDatabase(latest), ...checkReached(seen, latest)] : []),
    shown,
    checkOutside(seen, latest?.stored, has, shown),
    ...seen.sites.map((site) => checkSite(site, ownService(seen))),
    checkNotifications(reported, seen.notification),
  ]
}

/** The checks that need only the service's own facts. */
const checkFacts = (facts: Facts, { origin }: OwnSecret): Finding[] => [
  by('secret').pass(`The service accepts the secret from ${origin}`),
  // This check always passes, because the service doesn't start on a version of Node that is too old.
  ...(facts.node === undefined ? [] : [by('node').pass(`Node ${facts.node}`)]),
  ...[checkStreams(facts), ...checkPurge(facts), checkClock(facts), checkKey(facts)],
]

function featuresOf(
  { ownResponses, lastAnswer }: Observations,
  reported: Facts | undefined,
  latest: Facts | undefined,
): Has {
  const [first, last] = [ownResponses.answer, lastAnswer].map(shownBy)
  const before = (reported?.stored ?? latest?.stored)?.last
  return {
    page: reported?.page ?? false,
    stream: latest && latest.background !== false && latest.streams.open < latest.streams.max,
    isMoving:
      (first !== undefined && last !== undefined && first.state !== last.state) ||
      before !== latest?.stored?.last,
  }
}

/** The “proxy” check, for the address at which people reach this service. */
function checkReached(seen: Observations, facts: Facts): Finding[] {
  const { url, health, publicUrl, publicResponses } = seen
  if (!publicResponses) return [checkProxy({ ...facts, publicUrl }, url, health)]
  // Another service at the public address says nothing about this one.
  if (idIn(publicResponses.health) !== idIn(health)) return []
  return [checkProxy({ ...facts, publicUrl }, url, publicResponses.health)]
}

/** The “shown” check, for the service's own address. */
function checkShown({ ownResponses }: Observations, facts: Facts | undefined, has: Has): Finding {
  if (!facts || facts.stored) return checkInside(ownResponses, facts?.stored, has)
  return by('shown').skip("The service couldn't read the announcement from the database")
}

/** The “public” check, for the address at which people reach the service. */
function checkOutside(
  { url, health, publicUrl, publicResponses, ownResponses }: Observations,
  stored: Shown | undefined,
  has: Has,
  shown: Finding,
): Finding {
  const { pass, skip } = by('public')
  if (publicUrl === null) return skip('PUBLIC_URL is not set, so no public address was checked')
  if (!publicResponses) return pass('PUBLIC_URL is the address that “shown” checked')
  const reference = stored ?? shownBy(ownResponses.answer)
  if (!reference || (shown.status !== 'pass' && shown.message !== MOVING)) {
    return skip('Not checked until “shown” passes')
  }
  const { probe, health: publicHealth } = publicResponses
  const beside = { has: { ...has, page: true }, probe, health: publicHealth }
  return checkPublic(publicResponses, reference, { ...beside, id: idIn(health), inside: url })
}

/** The addresses from which a page may load the bar, and the service's id. */
function ownService({ url, health, publicUrl }: Observations) {
  const local = new URL(url).origin
  const origins = [publicUrl ?? [], local, local.replace('127.0.0.1', 'localhost')].flat()
  return { origins, id: idIn(health) }
}
