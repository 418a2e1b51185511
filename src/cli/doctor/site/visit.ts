import { type Answer, get, type Left, type Silence } from '../get.ts'
import { type Tag, tagsIn } from './html.ts'

const PAGE_MS = 2_000
const REST_MS = 1_500
/** More sheets than that are not read. */
const MAX_SHEETS = 8

/** What a page is, and what it loads of ours. */
export interface Visit {
  site: string
  page: Answer | Silence
  tags: Tag[]
  /** Texts of its sheets, those in the page included. */
  sheets: string[]
  /** What the script tags load, by their addresses. */
  scripts: { tag: Tag; src: URL; script: Answer | Silence; fragment: Answer | Silence }[]
  /** The ids of services that it loads from, by origin. */
  health: Map<string, Answer | Silence>
}

/** Gets a page as a browser would, and what it loads of ours. Its own scripts are not run. */
export async function visit(site: string, left: Left): Promise<Visit> {
  const asked = await get(site, left(PAGE_MS), { Accept: 'text/html' })
  const page = ('silent' in asked && asked.part) || asked
  const visited: Visit = { site, page, tags: [], sheets: [], scripts: [], health: new Map() }
  if ('silent' in page) return visited
  const tags = tagsIn(page.body)
  const base = tags.find(({ name, attributes }) => name === 'base' && attributes.has('href'))
  const root = at(base?.attributes.get('href') ?? '', page.url)?.href ?? page.url
  const linked = tags.flatMap(({ name, attributes }) => {
    const isSheet = name === 'link' && /(^|\s)stylesheet(\s|$)/i.test(attributes.get('rel') ?? '')
    return isSheet ? (at(attributes.get('href'), root) ?? []) : []
  })
  const scripts = tags.flatMap((tag) => {
    const src = tag.name === 'script' ? at(tag.attributes.get('src'), root) : undefined
    return src?.pathname.endsWith('/embed.js') ? [{ tag, src }] : []
  })
  const elements = tags.flatMap(({ name, attributes }) => {
    const src = name === 'placard-link' ? at(attributes.get('src'), root) : undefined
    return src ? [src.origin] : []
  })
  const rest = (url: string) => get(url, left(REST_MS))
  const origins = [...new Set([...scripts.map(({ src }) => src.origin), ...elements])]
  const [sheets, loaded, ids] = await Promise.all([
    Promise.all(linked.slice(0, MAX_SHEETS).map(({ href }) => rest(href))),
    Promise.all(
      scripts.map(async ({ tag, src }) => {
        const fragment = rest(`${src.origin}/embed.html?`)
        return { tag, src, script: await rest(src.href), fragment: await fragment }
      }),
    ),
    Promise.all(origins.map(async (origin) => [origin, await rest(`${origin}/healthz`)] as const)),
  ])
  const inline = tags.flatMap(({ name, end }) =>
    name === 'style' ? (page.body.slice(end).split(/<\/style/i, 1)[0] ?? []) : [],
  )
  const read = sheets.flatMap((sheet) =>
    'silent' in sheet || sheet.status !== 200 ? [] : sheet.body,
  )
  return {
    ...visited,
    tags,
    sheets: [...inline, ...read],
    scripts: loaded,
    health: new Map(ids),
  }
}

function at(href: string | undefined, root: string): URL | undefined {
  return href !== undefined && URL.canParse(href, root) ? new URL(href, root) : undefined
}
