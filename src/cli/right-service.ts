import { ClientError } from '../client/client.ts'
import { existingServiceId } from '../server/kept-files.ts'
import { type Answer, fieldsIn, get } from './get.ts'

/** A service of ours tells its id at once. */
const PATIENCE_MS = 5_000

/**
 * Makes sure that a secret is sent only to the service that it belongs to, whose id is kept beside it. Another service
 * may have the port by now.
 *
 * It guards against mistakes only. The id is no secret, so it proves nothing about a program that pretends.
 *
 * @param secretFile where the secret was read from
 * @throws ClientError if nothing answers; Error if something else answers, with what to do
 */
export async function makeSureOfService(url: string, secretFile: string): Promise<void> {
  const id = existingServiceId(secretFile)
  // The service has never started with an id.
  if (id === undefined) return
  const endpoint = `${url}/healthz`
  const health = await get(endpoint, PATIENCE_MS, { redirect: 'manual' })
  if ('silent' in health) {
    throw new ClientError(`Nothing answers at ${endpoint}`, 0, {}, new Error(health.silent))
  }
  const stranger = strangerIn(health, id)
  if (stranger !== undefined) {
    throw new Error(`${url} is ${stranger}, ${nothingSent(secretFile)}. ${ELSEWHERE}`)
  }
}

/**
 * Names the service that gave this answer of `/healthz`; `undefined` if it is the right one.
 *
 * @param id the id of the right service; `undefined` if any will do
 */
export function strangerIn(answer: Answer, id: string | undefined): string | undefined {
  const found = answer.status === 200 ? fieldsIn(answer) : {}
  if (found.ok !== true) return `not Placard (GET /healthz is answered ${answer.status})`
  if (id === undefined || found.id === id) return undefined
  if (typeof found.id !== 'string') return 'a service without an id'
  return `another service (its id is ${JSON.stringify(found.id.slice(0, 36))})`
}

export const nothingSent = (secretFile: string | null) =>
  `not the service whose secret is in ${secretFile}, so nothing was sent`

export const ELSEWHERE =
  'Give the address of that service with --url, ' +
  'or run this in the folder of the service that you mean, or set EVENT_API_SECRET'
