import { type Finding, fail, pass, skip, warn } from './finding.ts'
import { type Answer, fieldsIn, get, type Left, type Silence } from './get.ts'
import type { Shown } from './layers.ts'
import { forbiddenBy, type Load, policiesIn } from './policy.ts'

const PAGE_MS = 2_000
const REST_MS = 1_500
const COMMENT = /<!--[\s\S]*?-->/g
const TAG = /<(script|base|meta|placard-link)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi
const ATTRIBUTE = /([^\s/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'`]+)))?/g
/** What an app has rendered, with React, say. */
const RENDERED = /\sclass="placard["\s]/
/** A classic script: a module can't find its own tag. */
const CLASSIC = /^(|(text|application)\/(java|ecma)script)$/i

/** The service whose bar should be there. */
export interface OwnService {
  /** The addresses by which it is known. */
  origins: readonly string[]
  /** Its id, if it has one. */
  id: unknown
  /** What shows, if that is known. */
  shown: Shown | undefined
}

interface Tag {
  name: string
  attributes: ReadonlyMap<string, string>
}

/** A tag that loads an `embed.js`, and what stands behind it. */
interface Script {
  tag: Tag
  src: URL
  script: Answer | Silence
  fragment: Answer | Silence
  health: Answer | Silence
}

/**
 * Whether a page has the tag, as a classic script, of this service, and whether its Content-Security-Policy lets it load.
 * What the page makes of the bar is not seen from here: sheets, scripts and blockers decide that in a browser.
 */
export async function checkSite(site: string, left: Left, own: OwnService): Promise<Finding> {
  return { ...(await findingOf(site, left, own)), site }
}

async function findingOf(site: string, left: Left, own: OwnService): Promise<Finding> {
  const asked = await get(site, left(PAGE_MS), { Accept: 'text/html' })
  const page = ('silent' in asked && asked.part) || asked
  if ('silent' in page) {
    if (page.code !== 'TIMEOUT') {
      return fail('site', `${site} can not be reached: ${page.silent}`, 'Check the address')
    }
    const mend =
      'If a browser gets it, make the page faster: the bar comes no sooner. Else check the address'
    return fail('site', `${site} gives ${page.silent}`, mend)
  }
  const type = page.headers.get('content-type') ?? ''
  if (page.status >= 400 || !/html/i.test(type)) {
    const message = `${site} answers ${page.status} with ${type || 'no type'}, so it is no page`
    return fail('site', message, 'Give the address of a page, as a browser has it')
  }
  const tags = tagsIn(page.body)
  const scripts = await scriptsOf(page, tags, left)
  const ours = scripts.filter(({ src, health }) => {
    return own.origins.includes(src.origin) || fieldsIn(health).ok === true
  })
  if (ours.length === 0) return absent(site, page, tags)
  const faults = ours.flatMap((it) => faultOf(site, page, tags, it, own) ?? [])
  return faults[0] ?? pass('site', `${site} loads the bar of this service`)
}

function tagsIn(html: string): Tag[] {
  return Array.from(html.replace(COMMENT, '').matchAll(TAG), ([, name = '', written = '']) => {
    const attributes = new Map<string, string>()
    for (const [, key = '', ...values] of written.matchAll(ATTRIBUTE)) {
      const value = values.find((it) => it !== undefined) ?? ''
      attributes.set(key.toLowerCase(), value.replaceAll('&amp;', '&'))
    }
    return { name: name.toLowerCase(), attributes }
  })
}

async function scriptsOf({ url }: Answer, tags: readonly Tag[], left: Left): Promise<Script[]> {
  const base = tags.find(({ name }) => name === 'base')?.attributes.get('href') ?? ''
  const root = URL.canParse(base, url) ? new URL(base, url).href : url
  const rest = (address: string) => get(address, left(REST_MS))
  const found = tags.flatMap((tag) => {
    const href = tag.name === 'script' ? tag.attributes.get('src') : undefined
    const src = href !== undefined && URL.canParse(href, root) ? new URL(href, root) : undefined
    return src?.pathname.endsWith('/embed.js') ? [{ tag, src }] : []
  })
  return Promise.all(
    found.map(async ({ tag, src }) => {
      const [script, fragment, health] = await Promise.all([
        rest(src.href),
        rest(`${src.origin}/embed.html?`),
        rest(`${src.origin}/healthz`),
      ])
      return { tag, src, script, fragment, health }
    }),
  )
}

function absent(site: string, page: Answer, tags: readonly Tag[]): Finding {
  if (page.cut) {
    const message = `There is no tag of Placard in ${page.cut} of ${site}. The rest was not read`
    return warn('site', message, 'Put the tag further up: docs/embed.md')
  }
  if (RENDERED.test(page.body)) {
    return skip('site', `${site} renders the bar itself, and has no tag to be judged`)
  }
  const message = `There is no tag of Placard in the HTML of ${site}`
  const mend = 'Put the tag there: docs/embed.md'
  if (tags.every(({ name }) => name !== 'script')) return fail('site', message, mend)
  return warn('site', message, `${mend}. If a script of the page adds it, look at the page instead`)
}

/** The first thing that is wrong with a tag. */
function faultOf(
  site: string,
  page: Answer,
  tags: readonly Tag[],
  { tag, src, script, fragment, health }: Script,
  { origins, id, shown }: OwnService,
): Finding | undefined {
  const type = tag.attributes.get('type')?.trim() ?? ''
  if (type === 'module' || tag.attributes.has('nomodule')) {
    const how = type === 'module' ? 'type="module"' : 'nomodule'
    const message = `The tag at ${site} has ${how}, with which the script can't run`
    return fail('site', message, `Take ${how} away: it is a classic script`)
  }
  if (!CLASSIC.test(type)) {
    const message = `The tag at ${site} has the type ${type}, so it waits for a consent tool`
    return warn('site', message, 'Let it load without consent, as it sets no cookie')
  }
  const other = fieldsIn(health).id
  const isKnown = typeof other === 'string' && typeof id === 'string'
  if (isKnown ? other !== id : !origins.includes(src.origin)) {
    const message = `${site} loads the bar from ${src.origin}, which is not known as this service`
    const mend = `Put the address of this service there: ${origins[0]}`
    return isKnown ? fail('site', message, mend) : warn('site', message, mend)
  }
  const here = new URL(page.url)
  if (here.protocol === 'https:' && src.protocol === 'http:') {
    const message = `${site} is https, and its tag loads from http, which browsers refuse`
    return fail('site', message, `Load it from https: ${src.href.replace('http:', 'https:')}`)
  }
  const forbidden = policyFault(site, page, tags, { tag, src })
  if (forbidden) return forbidden
  const missing = [script, fragment].find((it) => 'silent' in it || it.status !== 200)
  if (missing) {
    const why = 'silent' in missing ? missing.silent : `status ${missing.status}`
    const message = `What the tag at ${site} loads from ${src.origin} does not come: ${why}`
    return fail('site', message, 'Have the proxy pass /embed.js and /embed.html on')
  }
  const state = 'silent' in fragment ? undefined : /data-state="([^"]*)"/.exec(fragment.body)?.[1]
  if (shown && shown.state !== '' && state !== shown.state) {
    const message = `A cache is behind: ${src.origin}/embed.html, which ${site} loads, is older`
    return fail('site', message, 'Purge the tag event there: docs/scaling.md')
  }
  return undefined
}

/** What a policy of the page keeps from loading. */
function policyFault(
  site: string,
  page: Answer,
  tags: readonly Tag[],
  { tag, src }: Pick<Script, 'tag' | 'src'>,
): Finding | undefined {
  const metas = tags.flatMap(({ attributes }) => {
    const isPolicy = /^content-security-policy$/i.test(attributes.get('http-equiv') ?? '')
    return isPolicy ? (attributes.get('content') ?? []) : []
  })
  const header = page.headers.get('content-security-policy') ?? ''
  const sandbox = policiesIn([header]).flatMap((it) => it.get('sandbox') ?? [])
  const isSandbox = policiesIn([header]).some((it) => it.has('sandbox'))
  if (isSandbox && !sandbox.includes('allow-scripts')) {
    const message = `The Content-Security-Policy of ${site} lets no script run (sandbox)`
    return fail('site', message, 'Add allow-scripts to sandbox')
  }
  const policies = policiesIn([header, ...metas])
  const { nonce, integrity } = Object.fromEntries(tag.attributes)
  const at = (path: string) => new URL(path, src.origin)
  const loads: Load[] = [
    { directive: 'script-src', url: src, nonce, integrity },
    { directive: 'connect-src', url: at('/embed.html') },
    { directive: 'connect-src', url: at('/api/events/stream') },
  ]
  for (const load of loads) {
    const by = policies
      .map((it) => forbiddenBy(it, load, new URL(page.url)))
      .find((it) => it !== undefined)
    if (!by) continue
    const message = `The Content-Security-Policy of ${site} forbids ${load.url.href} (${by})`
    return fail('site', message, `Add ${src.origin} to script-src and connect-src`)
  }
  return undefined
}
