import { badRequest } from '../core/messages.ts'

/** The parameters of a request's query. @throws Problem `invalid_request` if one is repeated */
export function queryOf(request: Request): Record<string, string> {
  const query = new URL(request.url).searchParams
  for (const name of query.keys()) {
    if (query.getAll(name).length > 1) {
      throw badRequest('repeated_parameter', { name })
    }
  }
  return Object.fromEntries(query)
}

/** @throws Problem `invalid_request` that names the first of the parameters, if there is one */
export function assertNone(parameters: Record<string, string>): void {
  const [name] = Object.keys(parameters)
  if (name === undefined) return
  throw badRequest('unknown_parameter', { name })
}
