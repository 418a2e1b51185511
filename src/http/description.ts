import { checksum } from '../core/checksum.ts'
import { loadOnce } from '../core/load-once.ts'
import { createResource, type Resource } from './answer.ts'

/**
 * The description of the API, for programs (contract R11). It is made for the first who ask, because few ever do and a
 * start would take longer.
 */
export const description = loadOnce(async (): Promise<Resource> => {
  const { openApiDocument } = await import('../openapi/document.ts')
  const text = JSON.stringify(openApiDocument())
  return createResource(new TextEncoder().encode(text), `"${checksum(text)}"`, {
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    // It changes with a new version of the service alone.
    'Cache-Control': 'public, max-age=3600',
    'Access-Control-Allow-Origin': '*',
  })
})
