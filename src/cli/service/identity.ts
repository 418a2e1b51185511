import { fieldsIn, type Reply, type Silence } from './get.ts'

/** Treats a 5xx from `GET /healthz` as no answer: it usually comes from a proxy that can't reach the service. */
export const heard = (health: Reply | Silence): Reply | Silence =>
  'status' in health && health.status >= 500
    ? { silent: `GET /healthz returned ${health.status}`, code: '' }
    : health

/**
 * Describes the program that answered `GET /healthz`; returns `undefined` if it is the expected service.
 *
 * @param id the id of the expected service; `undefined` if any Placard service will do
 */
export function strangerIn(answer: Reply, id: string | undefined): string | undefined {
  const found = answer.status === 200 ? fieldsIn(answer) : {}
  if (found.ok !== true) return `not Placard (GET /healthz returned ${answer.status})`
  if (id === undefined || found.id === id) return undefined
  if (typeof found.id !== 'string') return 'a service that reports no id'
  return `another service (its id is ${JSON.stringify(found.id.slice(0, 36))})`
}

export const nothingSent = (secretFile: string | null) =>
  `so the secret in ${secretFile} wasn't sent`

export const ELSEWHERE =
  'If the address is wrong, give the right one with --url; otherwise, run the command in the folder of that service, ' +
  'or set EVENT_API_SECRET (for simulate, STRIPE_WEBHOOK_SECRET) to its secret'
