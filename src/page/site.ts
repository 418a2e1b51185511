import { type Context, Hono } from 'hono'
import type { ReadAnswer } from '../http/reading.ts'
import { Problem } from '../problem.ts'
import type { Snapshot } from '../showing.ts'
import { ASSETS, type Asked, type AssetName, createDocuments, type Documents } from './documents.ts'
import type { Locales } from './locales.ts'

/** The part of `Placard` that pages need. */
interface Source {
  snapshot(): Snapshot | Promise<Snapshot>
}

/** What a visitor sees: the page, and what the script tag loads. */
export function createSite(
  placard: Source,
  locales: Locales,
  documents: Documents = createDocuments(locales),
): Hono {
  const site = new Hono()
  const { page, fragment, asset } = documents
  const names = Object.keys(ASSETS) as AssetName[]

  site.get('/', async (c) => response(page(await placard.snapshot(), askedIn(c))))
  site.get('/embed.html', async (c) => response(fragment(await placard.snapshot(), askedIn(c))))
  for (const name of names) site.get(`/${name}`, (c) => response(asset(name, askedIn(c))))

  for (const path of ['/', '/embed.html', ...names.map((name) => `/${name}`)]) {
    site.all(path, (c) =>
      new Problem('method_not_allowed', `${c.req.method} is not allowed here; use GET, HEAD`, {
        headers: { Allow: 'GET, HEAD' },
      }).toResponse(),
    )
  }
  return site
}

function askedIn(c: Context): Asked {
  return {
    lang: c.req.query('lang') ?? null,
    dismissible: c.req.query('dismissible') !== undefined,
    acceptLanguage: c.req.header('accept-language') ?? null,
    acceptEncoding: c.req.header('accept-encoding') ?? null,
    ifNoneMatch: c.req.header('if-none-match') ?? null,
  }
}

function response(answer: ReadAnswer): Response {
  return new Response(answer.body, answer)
}
