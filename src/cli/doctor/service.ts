import { parseSecrets } from '../../core/secrets.ts'
import { Facts } from '../../http/facts.ts'
import { ConfigError, readAccess, type SecretName } from '../../server/config.ts'
import { existingSecret } from '../../server/secret-file.ts'
import { existingServiceId } from '../../server/service-id.ts'
import { ELSEWHERE, nothingSent, strangerIn } from '../right-service.ts'
import { type Finding, fail, pass, skip, warn } from './finding.ts'
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
  if ('silent' in health) {
    if (health.code === 'TIMEOUT') {
      const message = `Something listens at ${url}, and gives ${health.silent}`
      return fail('service', message, 'Restart the service; its log says what it last did')
    }
    const mend = 'Start the service (placard serve), or give its address with --url'
    return fail('service', `Nothing answers at ${url}: ${health.silent}`, mend)
  }
  const stranger = strangerIn(health, own.secret === undefined ? undefined : own.id)
  if (stranger !== undefined) {
    const isPlacard = strangerIn(health, undefined) === undefined
    const means = isPlacard ? `, ${nothingSent(own.origin)}` : ''
    return fail('service', `${url} is ${stranger}${means}`, ELSEWHERE)
  }
  return pass('service', `Placard answers at ${url}`)
}

/** What the service says of itself, or why it doesn't. */
export async function factsOf(
  url: string,
  { secret, origin }: OwnSecret,
  query: string,
  ms: number,
): Promise<Facts | Finding> {
  if (secret === undefined) {
    const place = origin === null ? '' : ` in ${origin}`
    const message = `What only the service knows was not asked, as there is no secret${place}`
    return skip('secret', `${message}: run this with the settings of the service`)
  }
  const answer = await get(`${url}/api/doctor?${query}`, ms, { Authorization: `Bearer ${secret}` })
  if ('silent' in answer) {
    const mend = 'Restart the service; its log says what it last did'
    return fail('secret', `${url}/api/doctor gives ${answer.silent}`, mend)
  }
  const { success, data } = Facts.safeParse(fieldsIn(answer))
  if (answer.status === 200 && success) return data
  if (answer.status === 401) {
    const message = `The service at ${url} refuses the secret from ${origin}`
    return fail(
      'secret',
      message,
      'Set EVENT_API_SECRET to its secret; or restart it, if that was changed',
    )
  }
  if (answer.status === 429) {
    const { retryAfter } = fieldsIn(answer)
    const message = `The service takes no secret from this address for ${retryAfter} s, after wrong ones`
    return warn(
      'secret',
      message,
      'Find out who sends a wrong EVENT_API_SECRET, then run this again',
    )
  }
  if (answer.status === 404) {
    const message = `${url} has no /api/doctor, so it runs an older version than this command`
    return warn('secret', message, 'Restart it with the version that is installed')
  }
  const mend = 'Look into the log of the service'
  return fail('secret', `${url}/api/doctor answers ${answer.status}`, mend)
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
