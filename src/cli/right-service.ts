import { ClientError } from '../client/client.ts'
import { existingServiceId } from '../server/service-id.ts'

/** A service tells its id at once, or it is none of ours. */
const PATIENCE_MS = 5_000

/**
 * Makes sure that a secret goes to the service that it belongs to: the one whose id is kept beside it. Another service
 * may have its port by now.
 *
 * It guards against mistakes. The id is no secret, so it proves nothing about a program that pretends.
 *
 * @param secretFile where the secret was read from
 * @throws ClientError if nothing answers, Error if something else answers: says what, and what to do
 */
export async function makeSureOfService(url: string, secretFile: string): Promise<void> {
  const id = existingServiceId(secretFile)
  // The service has not started since ids came.
  if (id === undefined) return
  const other = await idAt(url).then((found) => (found.id === id ? undefined : found.name))
  if (other === undefined) return
  throw new Error(
    `${url} is ${other}, not the service whose secret is in ${secretFile}, so nothing was sent. ` +
      'Give the address of that service with --url, ' +
      'or run this in the folder of the service that you mean, or set EVENT_API_SECRET',
  )
}

/** The id of the service at an address, and what to call whatever answers there. */
async function idAt(url: string): Promise<{ id?: string; name: string }> {
  const endpoint = `${url}/healthz`
  let response: Response
  let text: string
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    response = await fetch(endpoint, { redirect: 'manual', signal })
    text = await response.text()
  } catch (cause) {
    throw new ClientError(`Nothing answers at ${endpoint}`, 0, {}, cause)
  }
  const { ok, id } = response.status === 200 ? fieldsIn(text) : {}
  if (ok !== true) return { name: `not Placard (GET /healthz is answered ${response.status})` }
  if (typeof id !== 'string') return { name: 'a service without an id' }
  return { id, name: `another service (its id is ${JSON.stringify(id.slice(0, 36))})` }
}

function fieldsIn(text: string): { ok?: unknown; id?: unknown } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
