import { fieldsIn, get, type Left, type Reply, type Silence, sayOf } from '../service/get.ts'
import { by, type Finding } from './finding.ts'

const { pass, skip, warn, fail } = by('site')

const PAGE_MS = 2_000
const HEALTH_MS = 1_500
const COMMENT = /<!--[\s\S]*?-->/g
const TAG = /<(script|base|meta)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi
/** Matches the element with a closing slash, as in JSX. */
const UNCLOSED = /<placard-link\b(?:[^>"']|"[^"]*"|'[^']*')*\/>/i
const ATTRIBUTE = /([^\s/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'`]+)))?/g
/** Matches HTML in which an app has rendered the bar itself, for example with React. */
const RENDERED = /\sclass="placard["\s]/
/** Matches the `type` of a script that browsers run. */
const RUNS = /^(|module|(text|application)\/(java|ecma)script)$/i
/** Matches the `type` that consent tools and loaders give a script, to start it later: `text/plain` for most. */
const WAITS = /^text\/plain$|javascript$/i
/** Matches the name of an attribute with the script's address: `src`, or a consent tool's, such as `data-src`. */
const SOURCE = /src$/

/** The service whose bar the page should have. */
export interface OwnService {
  origins: readonly string[]
  id: string | undefined
}

type Tag = Readonly<Record<string, string>>

/** A page, and the services that its script tags load the bar from. */
export interface SiteSeen {
  site: string
  page: Reply | Silence
  /** The script tags of a bar, each with the response of `GET /healthz` at the script's origin. */
  scripts: readonly { tag: Tag; src: URL; health: Reply | Silence }[]
}

/** Requests a page, and the health check of each service that the page loads the bar from. */
export async function visit(site: string, left: Left): Promise<SiteSeen> {
  const page = await get(site, left(PAGE_MS), { headers: { Accept: 'text/html' } })
  const scripts = 'silent' in page || isOther(page) ? [] : scriptsIn(page)
  const asked = scripts.map(async (script) => ({
    ...script,
    health: await get(`${script.src.origin}/healthz`, left(HEALTH_MS)),
  }))
  return { site, page, scripts: await Promise.all(asked) }
}

/** Whether a response is something other than a page, such as an error or an image. */
const isOther = ({ status, headers }: Reply) =>
  status >= 400 || !/html/i.test(headers.get('content-type') ?? '')

function scriptsIn(page: Reply): { tag: Tag; src: URL }[] {
  const tags = tagsIn(page)
  const base = tags.find(({ name }) => name === 'base')?.href ?? ''
  const root = URL.parse(base, page.url) ?? page.url
  return tags
    .filter(({ name }) => name === 'script')
    .flatMap((tag) => {
      const src = sourceOf(tag, root)
      return src ? { tag, src } : []
    })
}

/**
 * Checks whether a page has this service's script tag, whether browsers run the script, and whether its
 * Content-Security-Policy allows the script's requests. The doctor can't check whether the bar shows: styles and
 * blockers can hide it.
 */
export const checkSite = (seen: SiteSeen, own: OwnService): Finding => ({
  ...judgeSite(seen, own),
  site: seen.site,
})

function judgeSite({ site, page, scripts }: SiteSeen, own: OwnService): Finding {
  if ('silent' in page) {
    const fix = 'Check the address, and try it in a browser'
    return fail(`${site} ${sayOf(page)}`, fix)
  }
  if (isOther(page)) {
    const type = page.headers.get('content-type') || 'no content type'
    const message = `${site} returned ${page.status} (${type}) instead of a page`
    return fail(message, "Copy the page's address from a browser's address bar")
  }
  const tags = tagsIn(page)
  // Another program may also have a script named embed.js.
  const bars = scripts.filter(
    ({ src, health }) => fieldsIn(health).ok === true || own.origins.includes(src.origin),
  )
  for (const { tag, src, health } of bars) {
    const { id } = fieldsIn(health)
    const fault = faultOf(site, tag, src, id, own) ?? policyFault(site, page, tags, tag, src)
    if (fault) return fault
  }
  if (bars.length === 0) {
    if (RENDERED.test(page.body)) {
      return skip(`${site} renders the bar itself: no script tag to check`)
    }
    const silent = scripts.find(({ health }) => 'silent' in health)
    return silent ? unreached(site, silent, own) : absent(site, page, tags)
  }
  if (UNCLOSED.test(htmlOf(page))) {
    const message = `${site} has <placard-link />, and HTML ignores the slash: what follows is inside the element`
    return warn(message, 'Write <placard-link></placard-link>')
  }
  return pass(`${site} loads the bar of this service`)
}

const htmlOf = ({ body }: Reply): string => body.replace(COMMENT, '')

/** The address of the embed script, if this is a tag for it. */
function sourceOf(tag: Tag, root: URL | string): URL | undefined {
  const found = Object.entries(tag).filter(([name]) => SOURCE.test(name))
  const addresses = found.map(([, address]) => URL.parse(address, root))
  return addresses.find((src) => src?.pathname.endsWith('/embed.js')) ?? undefined
}

function tagsIn(page: Reply): Tag[] {
  return Array.from(htmlOf(page).matchAll(TAG), ([, name = '', written = '']) => {
    const attributes = Array.from(written.matchAll(ATTRIBUTE), ([, key = '', ...values]) => {
      const value = values.find((it) => it !== undefined) ?? ''
      return [key.toLowerCase(), value.replaceAll('&amp;', '&')]
    })
    return { ...Object.fromEntries(attributes), name: name.toLowerCase() }
  })
}

function unreached(site: string, { src, health }: SiteSeen['scripts'][number], own: OwnService) {
  const message = `${site} loads ${src.href}, and ${src.origin} ${sayOf(health)}`
  const fix = `If that is Placard's script tag, change its address: ${own.origins[0]}/embed.js`
  return warn(message, fix)
}

function absent(site: string, { whole }: Reply, tags: readonly Tag[]): Finding {
  const message = `Placard's script tag is not in the HTML of ${site}${whole ? '' : ', or not in the part that arrived in time'}`
  const fix = 'Add the script tag: docs/embed.md'
  const isSure = whole && tags.every(({ name }) => name !== 'script')
  if (isSure) return fail(message, fix)
  return warn(message, `${fix}. If a script adds the tag, check the page in a browser instead`)
}

function faultOf(site: string, tag: Tag, src: URL, id: unknown, own: OwnService) {
  const type = tag.type?.trim() ?? ''
  const hasType = `type="${type}"`
  if (tag.src === undefined || (WAITS.test(type) && !RUNS.test(type))) {
    const has = tag.src === undefined ? 'no src' : hasType
    const message = `The script tag at ${site} has ${has}, so it waits for another script to start it, such as a consent tool`
    const fix =
      'To show the bar to every reader, exempt it in that tool: it sets no cookie, and needs no consent'
    return warn(message, fix)
  }
  if (!RUNS.test(type) || tag.nomodule !== undefined) {
    const how = RUNS.test(type) ? 'nomodule' : hasType
    return fail(`The script tag at ${site} has ${how}, so the script can't run`, `Remove ${how}`)
  }
  const isKnown = typeof id === 'string' && own.id !== undefined
  if (isKnown ? id === own.id : own.origins.includes(src.origin)) return undefined
  const message = `${site} loads the bar from ${src.origin}, which is not an address of this service`
  const fix = `Use the address of this service instead: ${own.origins[0]}`
  return isKnown ? fail(message, fix) : warn(message, fix)
}

function policyFault(site: string, page: Reply, tags: readonly Tag[], tag: Tag, src: URL) {
  const metas = tags.filter((meta) => /^content-security-policy$/i.test(meta['http-equiv'] ?? ''))
  const header = page.headers.get('content-security-policy') ?? ''
  // A `Content-Security-Policy` header may have several policies, separated by commas.
  const policies = [header, ...metas.map(({ content = '' }) => content)].join(',').split(',')
  const loads = [src, new URL('/embed.json', src), new URL('/api/events/stream', src)]
  for (const url of loads) {
    for (const policy of policies) {
      const name = forbiddenBy(policy, url, url === src ? tag : undefined, new URL(page.url))
      if (name === undefined) continue
      const message = `The Content-Security-Policy of ${site} forbids ${url.href} (${name})`
      return fail(message, `Add ${src.origin} to script-src and connect-src`)
    }
  }
  return undefined
}

/**
 * The name of the directive that makes a policy block a file; `undefined` if the policy allows the file.
 *
 * @param script the script tag, if the file is that script
 */
function forbiddenBy(policy: string, url: URL, script: Tag | undefined, page: URL) {
  const directive = script ? 'script-src' : 'connect-src'
  const directives = policy.split(';').map((part) => part.trim().split(/\s+/))
  const names = [`${directive}-elem`, directive, 'default-src']
  // If a policy repeats a directive, browsers use only the first one.
  const found = names.map((name) => directives.find(([it]) => it?.toLowerCase() === name))
  const [name, ...sources] = found.find((it) => it !== undefined) ?? []
  if (sources.includes(`'nonce-${script?.nonce}'`)) return undefined
  // With `'strict-dynamic'`, browsers ignore a policy's hosts.
  if (script && sources.includes("'strict-dynamic'")) return name
  return sources.some((it) => matches(it, url, page)) ? undefined : name
}

/** Whether a source in a policy matches an address (CSP 3, 6.7.2). A source with `http:` also allows https. */
function matches(source: string, url: URL, page: URL): boolean {
  if (source === '*') return true
  const written = source === "'self'" ? page.origin : source.replace(/^[a-z][\w+.-]*:$/i, '$&//*:*')
  const [, scheme = page.protocol, host = '', port, path = ''] =
    /^(?:([a-z][a-z\d+.-]*:)\/\/)?(\[[^\]]+\]|[^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(written) ?? []
  const isUpgrade = /^http:$/i.test(scheme) && url.protocol === 'https:'
  const isHost = host.startsWith('*')
    ? url.hostname.endsWith(host.slice(1).toLowerCase())
    : url.hostname === host.toLowerCase()
  const usual = url.protocol === 'https:' ? '443' : '80'
  const isPort = port === '*' || (port ?? usual) === (url.port || usual)
  const isPath = path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path
  const isScheme = scheme.toLowerCase() === url.protocol || isUpgrade
  return isHost && isPort && (path === '' || isPath) && isScheme
}
