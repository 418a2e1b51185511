import { checksum } from '../core/checksum.ts'
import { loadOnce } from '../core/load-once.ts'
import { createResource, type Resource, toResponse } from './answer.ts'
import type { Routes, Row } from './route.ts'
import type { Service } from './service.ts'

export const DESCRIPTION_PATH = '/api/openapi.json'

/** From the path of the document to that of the service, which a host may have mounted below another path. */
const OWN_SERVER = '..'

/**
 * Serves the description of the API for programs (contract R11). It is made on the first request, because few ever need
 * it and it would slow down the start.
 *
 * @param routes the routes that it describes
 */
export function descriptionRoutes(routes: () => readonly Row<never>[]): Routes<Service> {
  const load = loadOnce(() => import('./document.ts'))
  /** By server address, which differs by the path at which the service is mounted. */
  const made = new Map<string, Resource>()

  async function resourceFor(server: string): Promise<Resource> {
    const { openApiDocument } = await load()
    const text = JSON.stringify(openApiDocument(routes(), server))
    return createResource(new TextEncoder().encode(text), `"${checksum(text)}"`, {
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      // It changes only with the version or the settings of the service.
      'Cache-Control': 'public, max-age=3600',
      'Access-Control-Allow-Origin': '*',
    })
  }

  return {
    [`GET ${DESCRIPTION_PATH}`]: {
      guard: 'open',
      readable: true,
      operationId: 'readDescription',
      summary: 'Get this document',
      conditional: true,
      answers: { 200: ['OpenAPI 3.1.', 'Description'] },
      problems: [500],
      async handle({ request }, { host }) {
        const server = host?.().publicUrl ?? OWN_SERVER
        const resource = made.get(server) ?? (await resourceFor(server))
        made.set(server, resource)
        return toResponse(resource, request)
      },
    },
  }
}
