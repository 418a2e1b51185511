import { type Answer, fieldsIn, get, type Left } from '../get.ts'
import { by, type Finding } from './finding.ts'

const { pass, skip, warn, fail } = by('site')

const PAGE_MS = 2_000
const HEALTH_MS = 1_500
const COMMENT = /<!--[\s\S]*?-->/g
const TAG = /<(script|base|meta)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi
const ATTRIBUTE = /([^\s/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'`]+)))?/g
/** The bar as an app renders it, for example with React. */
const RENDERED = /\sclass="placard["\s]/
/** A module can't find its own tag. */
const CLASSIC = /^(|(text|application)\/(java|ecma)script)$/i

/** The service whose bar the page should have. */
export interface OwnService {
  origins: readonly string[]
  id: unknown
}

type Tag = Readonly<Record<string, string>>

/**
 * Checks whether a page has the tag as a classic script of this service, and whether its Content-Security-Policy allows
 * that. It can't tell whether the bar shows: styles, scripts and blockers decide that in a browser.
 */
export async function checkSite(site: string, left: Left, own: OwnService): Promise<Finding> {
  const page = await get(site, left(PAGE_MS), { headers: { Accept: 'text/html' } })
  const finding =
    'silent' in page
      ? fail(`${site} gives ${page.silent}`, 'Check the address, and whether a browser gets it')
      : await judge(site, page, left, own)
  return { ...finding, site }
}

async function judge(site: string, page: Answer, left: Left, own: OwnService): Promise<Finding> {
  const type = page.headers.get('content-type') ?? ''
  if (page.status >= 400 || !/html/i.test(type)) {
    const message = `${site} answers ${page.status} with ${type || 'no type'}, so it is no page`
    return fail(message, 'Give the address of a page, as a browser has it')
  }
  const tags = tagsIn(page.body)
  const base = tags.find(({ name }) => name === 'base')?.href ?? ''
  const root = URL.canParse(base, page.url) ? new URL(base, page.url).href : page.url
  const loads = tags.flatMap((tag) => {
    const src = tag.name === 'script' ? URL.parse(tag.src ?? '', root) : null
    return src?.pathname.endsWith('/embed.js') ? [{ tag, src }] : []
  })
  const scripts = await Promise.all(
    loads.map(async ({ tag, src }) => {
      const { ok, id } = fieldsIn(await get(`${src.origin}/healthz`, left(HEALTH_MS)))
      return { tag, src, ok, id }
    }),
  )
  // Another program may have an embed.js of its own.
  const ours = scripts.filter(({ src, ok }) => own.origins.includes(src.origin) || ok === true)
  if (ours.length === 0) return absent(site, page, tags)
  for (const { tag, src, id } of ours) {
    const fault = faultOf(site, tag, src, id, own) ?? policyFault(site, page, tags, tag, src)
    if (fault) return fault
  }
  return pass(`${site} loads the bar of this service`)
}

function tagsIn(html: string): Tag[] {
  return Array.from(html.replace(COMMENT, '').matchAll(TAG), ([, name = '', written = '']) => {
    const attributes = Array.from(written.matchAll(ATTRIBUTE), ([, key = '', ...values]) => {
      const value = values.find((it) => it !== undefined) ?? ''
      return [key.toLowerCase(), value.replaceAll('&amp;', '&')]
    })
    return { ...Object.fromEntries(attributes), name: name.toLowerCase() }
  })
}

function absent(site: string, { body, whole }: Answer, tags: readonly Tag[]): Finding {
  if (RENDERED.test(body)) return skip(`${site} renders the bar itself: there is no tag to judge`)
  const message = `Placard's tag is not in ${whole ? '' : 'what came in time of '}the HTML of ${site}`
  const mend = 'Put the tag there: docs/embed.md'
  const isSure = whole && tags.every(({ name }) => name !== 'script')
  if (isSure) return fail(message, mend)
  return warn(message, `${mend}. If a script adds it, look at the page in a browser instead`)
}

function faultOf(site: string, tag: Tag, src: URL, id: unknown, own: OwnService) {
  const type = tag.type?.trim() ?? ''
  if (!CLASSIC.test(type) || tag.nomodule !== undefined) {
    const how = CLASSIC.test(type) ? 'nomodule' : `type="${type}"`
    const message = `The tag at ${site} has ${how}, with which the script can't run`
    return fail(message, `Take ${how} away: it is a classic script, and sets no cookie`)
  }
  const isKnown = typeof id === 'string' && typeof own.id === 'string'
  if (isKnown ? id === own.id : own.origins.includes(src.origin)) return undefined
  const message = `${site} loads the bar from ${src.origin}, which is not an address of this service`
  const mend = `Put the address of this service there: ${own.origins[0]}`
  return isKnown ? fail(message, mend) : warn(message, mend)
}

function policyFault(site: string, page: Answer, tags: readonly Tag[], tag: Tag, src: URL) {
  const metas = tags.filter((meta) => /^content-security-policy$/i.test(meta['http-equiv'] ?? ''))
  const header = page.headers.get('content-security-policy') ?? ''
  const policies = [header, ...metas.map(({ content = '' }) => content)]
  const loads: Load[] = [
    { directive: 'script-src', url: src, nonce: tag.nonce },
    { directive: 'connect-src', url: new URL('/embed.html', src) },
    { directive: 'connect-src', url: new URL('/api/events/stream', src) },
  ]
  for (const load of loads) {
    const name = forbiddenBy(policies, load, new URL(page.url))
    if (name === undefined) continue
    const message = `The Content-Security-Policy of ${site} forbids ${load.url.href} (${name})`
    return fail(message, `Add ${src.origin} to script-src and connect-src`)
  }
  return undefined
}

/** A file that a page loads. */
export interface Load {
  directive: 'script-src' | 'connect-src'
  url: URL
  nonce?: string | undefined
}

/**
 * The directive that forbids it; `undefined` if every policy allows it.
 *
 * @param texts headers and `<meta>`s; a header may hold several policies, separated by commas
 */
export function forbiddenBy(texts: readonly string[], load: Load, page: URL): string | undefined {
  for (const text of texts.flatMap((text) => text.split(','))) {
    const directives = text.split(';').map((part) => part.trim().split(/\s+/))
    const names = [`${load.directive}-elem`, load.directive, 'default-src']
    // If a name is repeated, the first counts.
    const found = names.map((name) => directives.find(([it]) => it?.toLowerCase() === name))
    const [name, ...sources] = found.find((it) => it !== undefined) ?? []
    if (name === undefined || sources.includes(`'nonce-${load.nonce}'`)) continue
    const isStrict = load.directive === 'script-src' && sources.includes("'strict-dynamic'")
    if (isStrict || !sources.some((it) => matches(it, load.url, page))) return name
  }
  return undefined
}

/** Whether a source of a policy matches an address (CSP 3, 6.7.2). */
function matches(source: string, url: URL, page: URL): boolean {
  if (source === '*') return true
  if (source === "'self'") return url.host === page.host && isUpgrade(page.protocol, url)
  if (/^[a-z][a-z\d+.-]*:$/i.test(source)) return isUpgrade(source.toLowerCase(), url)
  const [, scheme = page.protocol, host = '', port, path = ''] =
    /^(?:([a-z][a-z\d+.-]*:)\/\/)?([^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(source) ?? []
  const isHost = host.startsWith('*.')
    ? url.hostname.endsWith(host.slice(1).toLowerCase())
    : url.hostname === host.toLowerCase()
  const usual = url.protocol === 'https:' ? '443' : '80'
  const isPort = port === '*' || (port ?? usual) === (url.port || usual)
  const isPath = path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path
  return isHost && isPort && (path === '' || isPath) && isUpgrade(scheme.toLowerCase(), url)
}

/** A source for http allows https too. */
const isUpgrade = (scheme: string, { protocol }: URL) =>
  scheme === protocol || (scheme === 'http:' && protocol === 'https:')
