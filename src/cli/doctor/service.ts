import { parseSecrets } from '../../core/secrets.ts'
import { Facts } from '../../http/facts.ts'
import { ConfigError, readAccess, type SecretName } from '../../server/config.ts'
import { existingSecret } from '../../server/secret-file.ts'
import { existingServiceId } from '../../server/service-id.ts'
import { ELSEWHERE, nothingSent, strangerIn } from '../right-service.ts'
import { by, type Finding } from './finding.ts'
import { type Answer, fieldsIn, get, type Silence } from './get.ts'

/** Variables and the folder that holds `.env`. */
export interface Place {
  environment: Record<string, string | undefined>
  directory: string
}

/** A secret that this machine has for the service, if any. */
export interface OwnSecret {
  secret: string | undefined
  /** Where it comes from, or would. */
  origin: string | null
  /** The id of the service that it belongs to, where it is kept beside one. */
  id: string | undefined
}

/** @returns nothing usable where the settings are faulty, because their own check says so */
export function ownSecret(name: SecretName, { environment, directory }: Place): OwnSecret {
  try {
    const needs = { port: false, secret: name }
    const { secret: setting, origin } = readAccess(needs, environment, directory)
    const list = setting === null ? undefined : existingSecret(setting)
    const id = setting && 'file' in setting ? existingServiceId(setting.file) : undefined
    return { secret: parseSecrets(list ?? '').secrets[0], origin, id }
  } catch {
    return { secret: undefined, origin: null, id: undefined }
  }
}

/** Whether Placard answers there, and whether it is the service whose secrets are here. */
export function checkService(url: string, health: Answer | Silence, own: OwnSecret): Finding {
  const { pass, fail } = by('service')
  if ('silent' in health) {
    const mend = 'Start the service (placard serve), or give its address with --url'
    return fail(`Nothing answers at ${url}: ${health.silent}`, mend)
  }
  const stranger = strangerIn(health, own.secret === undefined ? undefined : own.id)
  if (stranger === undefined) return pass(`Placard answers at ${url}`)
  const isPlacard = strangerIn(health, undefined) === undefined
  return fail(`${url} is ${stranger}${isPlacard ? `, ${nothingSent(own.origin)}` : ''}`, ELSEWHERE)
}

/** What the service says of itself, or why it doesn't. */
export async function factsOf(
  url: string,
  { secret, origin }: OwnSecret,
  query: string,
  ms: number,
): Promise<Facts | Finding> {
  const { skip, fail } = by('secret')
  if (secret === undefined) {
    const place = origin === null ? '' : ` in ${origin}`
    const message = `What only the service knows was not asked, as there is no secret${place}`
    return skip(`${message}: run this with the settings of the service`)
  }
  const answer = await get(`${url}/api/doctor?${query}`, ms, { Authorization: `Bearer ${secret}` })
  const { success, data } = Facts.safeParse(fieldsIn(answer))
  const status = 'silent' in answer ? answer.silent : answer.status
  if (status === 200 && success) return data
  if (status === 401) {
    const mend = 'Set EVENT_API_SECRET to its secret; or restart it, if that was changed'
    return fail(`The service at ${url} refuses the secret from ${origin}`, mend)
  }
  const mend = 'Look into the log of the service. If its version is another than this, restart it'
  return fail(`${url}/api/doctor gives ${status}`, mend)
}

/** What is read from the settings, or their faults; that `.env` can't be read is one. */
export function orFault<T>(read: () => T): T | ConfigError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) return error
    if (error instanceof Error && 'syscall' in error) return new ConfigError([error.message])
    throw error
  }
}
