import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { CACHE_HEADERS, staleness } from './headers.ts'
import { includeIn } from './include-parameters.ts'
import { searchOf } from './input.ts'
import { createResource, type HeaderOf, type Resource, toResponse } from './resource.ts'
import type { Share } from './share.ts'
import type { Site } from './site.ts'

/** Renders a document for a snapshot, or takes it from memory. @throws Problem if a parameter is invalid */
export type Document = (snapshot: Snapshot, query: URLSearchParams, header: HeaderOf) => Resource

export type Documents = ReadonlyMap<string, Document>

export const EVENTS_PATH = '/api/events'

/**
 * Returns the documents that show the current announcement, by path. `server/reads-from-memory.ts` answers most
 * requests for these documents before routing, and a route answers the others. Both use this table.
 */
export function documentsOf(site: Site | undefined): Documents {
  const documents = new Map<string, Document>([[EVENTS_PATH, eventResource]])
  if (!site) return documents
  const { page } = site
  if (page) {
    documents.set('/', (snapshot, query, header) =>
      page(snapshot, { lang: query.get('lang'), acceptLanguage: header('accept-language') }),
    )
  }
  documents.set('/embed.js', (snapshot) => site.script(snapshot))
  // `?lang=de` is the embedded bar in German, `?page=de` that of the page at `/`.
  documents.set('/embed.json', (snapshot, query) => {
    const tag = query.get('page')
    return tag === null
      ? site.bar('embed', snapshot, query.get('lang') ?? '')
      : site.bar('page', snapshot, tag)
  })
  documents.set('/include.html', (snapshot, query) => site.include(snapshot, includeIn(query)))
  return documents
}

/** Responds with a document as it is now (spec 4.2, contract R1 to R3, R13). */
export async function show(
  service: { showing: Pick<Showing, 'read'>; share: Share; documents: Documents },
  request: Request,
  path: string,
): Promise<Response> {
  const { showing, share, documents } = service
  const render = documents.get(path) as Document
  const snapshot = await showing.read()
  const resource = render(snapshot, searchOf(request), (name) => request.headers.get(name))
  return toResponse(share(resource, snapshot), request)
}

const resources = new WeakMap<Snapshot, Resource>()

/** Returns the document of `GET /api/events` (contract R1 to R3), which is built once for each snapshot. */
function eventResource(snapshot: Snapshot): Resource {
  let resource = resources.get(snapshot)
  if (!resource) {
    resource = createResource(snapshot.body, snapshot.etag, {
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      ...CACHE_HEADERS,
      'Access-Control-Allow-Origin': '*',
      ...staleness(snapshot),
    })
    resources.set(snapshot, resource)
  }
  return resource
}
