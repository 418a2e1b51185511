const text = { type: 'string' }
const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: text,
})

export const IF_NONE_MATCH = header(
  'If-None-Match',
  'The `ETag` of the answer that you have: if nothing has changed, this one is 304.',
)

/** What a write may say beside its body (contract A17, R8). */
export const AUTHOR = [
  header(
    'If-Match',
    'The `ETag` of `GET /api/events`: the write is made only if that is still what shows.',
  ),
  header(
    'Placard-Actor',
    'Who writes, for the history: 1 to 64 printable characters, percent-encoded if not ASCII.',
  ),
]

export const query = (name: string, description: string, schema: object = text) => ({
  name,
  in: 'query',
  description,
  schema,
})

/** Needs `EVENT_API_SECRET`. */
export const BEARER = [{ bearer: [] }]
/** Needs nothing. */
export const OPEN: object[] = []
