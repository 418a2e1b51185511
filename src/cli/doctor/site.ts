import { fieldsIn, get, type Left, type Reply, sayOf } from '../get.ts'
import { by, type Finding } from './finding.ts'

const { pass, skip, warn, fail } = by('site')

const PAGE_MS = 2_000
const HEALTH_MS = 1_500
const COMMENT = /<!--[\s\S]*?-->/g
const TAG = /<(script|base|meta)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi
/** Matches the element as JSX has it. */
const UNCLOSED = /<placard-link\b(?:[^>"']|"[^"]*"|'[^']*')*\/>/i
const ATTRIBUTE = /([^\s/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'`]+)))?/g
/** Matches HTML in which an app has rendered the bar itself, for example with React. */
const RENDERED = /\sclass="placard["\s]/
/** Matches the `type` of a script that browsers run. */
const RUNS = /^(|module|(text|application)\/(java|ecma)script)$/i
/** Matches the `type` that consent tools and loaders give a script, to start it later: `text/plain` for most. */
const WAITS = /^text\/plain$|javascript$/i
/** Matches an attribute with the script's address. Consent tools move it: `data-src`, `data-suppressedsrc`. */
const SOURCE = /src$/

/** The service whose bar the page should have. */
export interface OwnService {
  origins: readonly string[]
  id: string | undefined
}

type Tag = Readonly<Record<string, string>>

/**
 * Checks whether a page has this service's script tag, whether browsers run the script, and whether its Content-Security-Policy
 * allows the script's requests. The doctor can't check whether the bar shows: styles and blockers can hide it.
 */
export async function checkSite(site: string, left: Left, own: OwnService): Promise<Finding> {
  return { ...(await judge(site, left, own)), site }
}

async function judge(site: string, left: Left, own: OwnService): Promise<Finding> {
  const page = await get(site, left(PAGE_MS), { headers: { Accept: 'text/html' } })
  if ('silent' in page) {
    const fix = 'Check the address, and try it in a browser'
    return fail(`${site} ${sayOf(page)}`, fix)
  }
  const type = page.headers.get('content-type') ?? ''
  if (page.status >= 400 || !/html/i.test(type)) {
    const message = `${site} returned ${page.status} (${type || 'no content type'}) instead of a page`
    return fail(message, "Copy the page's address from a browser's address bar")
  }
  const html = page.body.replace(COMMENT, '')
  const tags = tagsIn(html)
  const base = tags.find(({ name }) => name === 'base')?.href ?? ''
  const root = URL.parse(base, page.url) ?? page.url
  let isThere = false
  for (const tag of tags.filter(({ name }) => name === 'script')) {
    const src = sourceOf(tag, root)
    if (!src) continue
    const { ok, id } = fieldsIn(await get(`${src.origin}/healthz`, left(HEALTH_MS)))
    // Another program may also have a script named embed.js.
    if (ok !== true && !own.origins.includes(src.origin)) continue
    isThere = true
    const fault = faultOf(site, tag, src, id, own) ?? policyFault(site, page, tags, tag, src)
    if (fault) return fault
  }
  if (!isThere) return absent(site, page, tags)
  if (UNCLOSED.test(html)) {
    const message = `${site} has <placard-link />, and HTML ignores the slash: what follows is inside the element`
    return warn(message, 'Write <placard-link></placard-link>')
  }
  return pass(`${site} loads the bar of this service`)
}

/** The address of the embed script, if this is a tag for it. */
function sourceOf(tag: Tag, root: URL | string): URL | undefined {
  const found = Object.entries(tag).filter(([name]) => SOURCE.test(name))
  const addresses = found.map(([, address]) => URL.parse(address, root))
  return addresses.find((src) => src?.pathname.endsWith('/embed.js')) ?? undefined
}

function tagsIn(html: string): Tag[] {
  return Array.from(html.matchAll(TAG), ([, name = '', written = '']) => {
    const attributes = Array.from(written.matchAll(ATTRIBUTE), ([, key = '', ...values]) => {
      const value = values.find((it) => it !== undefined) ?? ''
      return [key.toLowerCase(), value.replaceAll('&amp;', '&')]
    })
    return { ...Object.fromEntries(attributes), name: name.toLowerCase() }
  })
}

function absent(site: string, { body, whole }: Reply, tags: readonly Tag[]): Finding {
  if (RENDERED.test(body)) return skip(`${site} renders the bar itself: no script tag to check`)
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
