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

/** The same, if only these parameters are allowed. @throws Problem `invalid_request` that names another one */
export function knownQueryOf<Name extends string>(
  request: Request,
  ...names: Name[]
): Partial<Record<Name, string>> {
  const query = queryOf(request)
  const name = Object.keys(query).find((name) => !names.includes(name as Name))
  if (name !== undefined) throw badRequest('unknown_parameter', { name })
  return query as Partial<Record<Name, string>>
}
