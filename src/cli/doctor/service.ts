import { Facts } from '../../core/facts.ts'
import { ownerSecret, splitSecrets } from '../../core/secrets.ts'
import { ConfigError, readAccess, type SecretName } from '../../local/config.ts'
import { existingSecret, existingServiceId } from '../../local/secret-files.ts'
import { fieldsIn, fixFor, get, type Reply, type Silence, sayOf } from '../service/get.ts'
import { ELSEWHERE, nothingSent, strangerIn } from '../service/identity.ts'
import { by, type Finding, problemAndFix } from './finding.ts'

/** Where the settings come from: the environment variables, and the folder of the `.env` file. */
export interface Place {
  environment: Record<string, string | undefined>
  directory: string
}

/** The secret that this machine has for the service, if any. */
export interface OwnSecret {
  secret: string | undefined
  /** Where the secret is, or where the service will store it; `null` if neither is known. */
  origin: string | null
  /** The id of the service that the secret belongs to, if that id is stored beside the secret file. */
  id: string | undefined
  /** Why the secret file or the id file is unusable, or why the secret mustn't be sent. */
  fault?: string | undefined
}

/** @param isLocated whether the service's address was given instead of read from the settings */
export function ownSecret(
  name: SecretName,
  { environment, directory }: Place,
  isLocated: boolean,
): OwnSecret {
  const needs = { port: !isLocated, secret: name }
  const access = orFault(() => readAccess(needs, environment, directory))
  // Return no fault, because the “settings” check reports invalid settings.
  if (access instanceof ConfigError) return { secret: undefined, origin: null, id: undefined }
  const { secret: setting, origin, astray } = access
  if (astray !== undefined) return { secret: undefined, origin, id: undefined, fault: astray }
  const kept = orFault(() => {
    const secret = ownerSecret(splitSecrets((setting && existingSecret(setting)) ?? ''))
    // Both secrets share one id file. Read it only for the API secret, so that a damaged id is reported only once.
    const isBeside = name === 'EVENT_API_SECRET' && setting && 'file' in setting
    return { secret, origin, id: isBeside ? existingServiceId(setting.file) : undefined }
  })
  if (!(kept instanceof ConfigError)) return kept
  return { secret: undefined, origin, id: undefined, fault: kept.faults[0] }
}

/** Checks whether Placard answers, and whether it is the service that this machine's secret belongs to. */
export function checkService(url: string, health: Reply | Silence, own: OwnSecret): Finding {
  const { pass, fail } = by('service')
  if ('silent' in health) {
    return fail(`Nothing answers at ${url}: ${health.silent}`, fixFor(health))
  }
  const stranger = strangerIn(health, own.secret === undefined ? undefined : own.id)
  if (stranger === undefined) return pass(`Placard answers at ${url}`)
  const isPlacard = strangerIn(health, undefined) === undefined
  return fail(`${url} is ${stranger}${isPlacard ? `, ${nothingSent(own.origin)}` : ''}`, ELSEWHERE)
}

/** Requests the service's facts. If they can't be read, returns a finding that says why. */
export async function factsOf(
  url: string,
  { secret, origin, fault }: OwnSecret,
  query: string,
  ms: number,
): Promise<Facts | Finding> {
  const { skip, fail } = by('secret')
  if (fault !== undefined) return fail(...problemAndFix(fault))
  if (secret === undefined) {
    const place = origin === null ? '' : ` in ${origin}`
    const message = `The doctor couldn't ask the service about its state, because there is no secret${place}`
    return skip(`${message}: run the doctor with the service's settings`)
  }
  const headers = { Authorization: `Bearer ${secret}` }
  // The secret is for this address only, so don't follow a redirect.
  const answer = await get(`${url}/api/doctor?${query}`, ms, { headers, redirect: 'manual' })
  const { success, data } = Facts.safeParse(fieldsIn(answer))
  const status = 'status' in answer && answer.status
  if (status === 200 && success) return data
  if (status === 401) {
    const fix = "Use the service's EVENT_API_SECRET; if you changed it, restart the service"
    return fail(`The service at ${url} rejected the secret from ${origin}`, fix)
  }
  const fix =
    "Look in the service's log. If the service's version differs from this command's, restart the service"
  return fail(`${url}/api/doctor ${sayOf(answer)}`, fix)
}

/** Returns the value that `read` returns, or a ConfigError if the settings are invalid or a file can't be read. */
export function orFault<T>(read: () => T): T | ConfigError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}
