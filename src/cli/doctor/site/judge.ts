import { type Finding, fail, pass, warn } from '../finding.ts'
import { type Answer, fieldsIn } from '../get.ts'
import type { Shown } from '../layers.ts'
import { decoded, isHiding, type Tag } from './html.ts'
import { forbiddenBy, type Load, policiesIn } from './policy.ts'
import { hidingRule } from './styles.ts'
import type { Visit } from './visit.ts'

const UNSEEN = 'Not seen from here: what scripts do, rules for what is around it, blockers'

/** The service whose bar should be there. */
export interface OwnService {
  /** The addresses by which it is known. */
  origins: readonly string[]
  /** Its id, if it has one. */
  id: unknown
  /** What shows, if that is known. */
  shown: Shown | undefined
}

/** Whether a page has the bar, from this service and unhidden: the first thing that is wrong, or that all is well. */
export function judge(visit: Visit, own: OwnService): Finding {
  return { ...first(visit, own), site: visit.site }
}

function first(whole: Visit, own: OwnService): Finding {
  const visit = withoutOthers(whole, own)
  const { site, page, tags, scripts } = visit
  if ('silent' in page && page.code === 'TIMEOUT') {
    const mend =
      'If a browser gets it, make the page faster: the bar comes no sooner. Else check the address'
    return fail('site', `${site} gives ${page.silent}`, mend)
  }
  if ('silent' in page) {
    return fail('site', `${site} can not be reached: ${page.silent}`, 'Check the address')
  }
  const type = page.headers.get('content-type') ?? ''
  if (page.status >= 400 || !/html/i.test(type)) {
    const message = `${site} answers ${page.status} with ${type || 'no type'}, so it is no page`
    return fail('site', message, 'Give the address of a page, as a browser has it')
  }
  const elements = tags.filter(({ name }) => name === 'placard-link')
  const bars = tags.filter(isBar)
  if (scripts.length + elements.length + bars.length === 0) return absent(visit, own)
  return (
    foreign(visit, own) ??
    scripts.map((it) => unloaded(visit, it, own)).find((it) => it !== undefined) ??
    hidden(visit, [...elements, ...bars], scripts) ??
    bars.map((bar) => outdated(visit, bar, own)).find((it) => it !== undefined) ??
    pass('site', `${site} has the bar of this service, unhidden. ${UNSEEN}${unread(page)}`)
  )
}

const unread = ({ cut }: Answer) => (cut ? `, what comes after ${cut}` : '')

const isBar = ({ attributes }: Tag) => /(^|\s)placard(\s|$)/.test(attributes.get('class') ?? '')

/**
 * Other programs have a script of that name too, as TikTok's posts and Instagram's do. Beside a bar of ours they don't
 * matter. Where nothing else stands, it may be our tag with a wrong address.
 */
function withoutOthers(visit: Visit, { origins }: OwnService): Visit {
  const { scripts, health, tags } = visit
  const isOther = ({ src, fragment }: Visit['scripts'][number]) =>
    'status' in fragment &&
    !fragment.body.includes('data-state=') &&
    !origins.includes(src.origin) &&
    fieldsIn(health.get(src.origin) ?? fragment).ok !== true
  const own = scripts.filter((it) => !isOther(it))
  if (own.length === scripts.length || (own.length === 0 && !tags.some(isBar))) return visit
  const others = new Set(scripts.filter(isOther).map(({ src }) => src.origin))
  return {
    ...visit,
    scripts: own,
    health: new Map([...health].filter(([origin]) => !others.has(origin))),
  }
}

function absent({ site, page, tags }: Visit, { shown }: OwnService): Finding {
  if ('cut' in page) {
    const message = `There is no tag, element or bar of Placard in ${page.cut} of ${site}. The rest was not read`
    return warn('site', message, 'Put the tag further up: docs/embed.md')
  }
  const message = `There is no tag, element or bar of Placard in the HTML of ${site}`
  const mend = 'Put the tag there: docs/embed.md'
  if (shown?.event === null) {
    const rendered = 'A bar that an app renders is there only while something is announced'
    return warn('site', message, `${mend}. ${rendered}`)
  }
  const isStill = tags.every(({ name }) => name !== 'script')
  if (isStill) return fail('site', message, mend)
  return warn('site', message, `${mend}. If a script of the page adds it, look at the page instead`)
}

/** What comes from another service. */
function foreign({ site, health }: Visit, { origins, id }: OwnService): Finding | undefined {
  for (const [origin, answer] of health) {
    const other = fieldsIn(answer).id
    const isSame = typeof other === 'string' && typeof id === 'string' ? other === id : undefined
    if (isSame ?? origins.includes(origin)) continue
    const message = `${site} loads the bar from ${origin}, which is not known as this service`
    const mend = `Put the address of this service there: ${origins[0]}`
    return isSame === false ? fail('site', message, mend) : warn('site', message, mend)
  }
  return undefined
}

/** A tag that loads nothing, or what is old. */
function unloaded(
  { site, page, tags }: Visit,
  { tag, src, script, fragment }: Visit['scripts'][number],
  { shown }: OwnService,
): Finding | undefined {
  if ('silent' in page) return undefined
  const type = tag.attributes.get('type') ?? ''
  if (!/^(|module|(text|application)\/(java|ecma)script)$/i.test(type.trim())) {
    const message = `The tag at ${site} has the type ${type}, so it waits for a consent tool`
    return warn('site', message, 'Let it load without consent, as it sets no cookie')
  }
  const here = new URL(page.url)
  if (here.protocol === 'https:' && src.protocol === 'http:') {
    const message = `${site} is https, and its tag loads from http, which browsers refuse`
    return fail('site', message, `Load it from https: ${src.href.replace('http:', 'https:')}`)
  }
  const metas = tags.flatMap(({ name, attributes }) => {
    const isPolicy = /^content-security-policy$/i.test(attributes.get('http-equiv') ?? '')
    return name === 'meta' && isPolicy ? (attributes.get('content') ?? []) : []
  })
  const header = page.headers.get('content-security-policy') ?? ''
  // Only a header's counts.
  const sandbox = policiesIn([header])
    .find((it) => it.has('sandbox'))
    ?.get('sandbox')
  if (sandbox && !sandbox.includes('allow-scripts')) {
    const message = `The Content-Security-Policy of ${site} lets no script run (sandbox)`
    return fail('site', message, 'Add allow-scripts to sandbox')
  }
  const policies = policiesIn([header, ...metas])
  const { nonce, integrity } = Object.fromEntries(tag.attributes)
  const at = (path: string) => new URL(path, src.origin)
  const loads: Load[] = [
    { directive: 'script-src', url: src, nonce, integrity },
    { directive: 'style-src', url: at('/placard.css') },
    { directive: 'connect-src', url: at('/embed.html') },
    { directive: 'connect-src', url: at('/api/events/stream') },
  ]
  for (const load of loads) {
    const by = policies.map((it) => forbiddenBy(it, load, here)).find((it) => it !== undefined)
    if (!by) continue
    const message = `The Content-Security-Policy of ${site} forbids ${load.url.href} (${by})`
    return fail('site', message, `Add ${src.origin} to script-src, style-src and connect-src`)
  }
  const missing = [script, fragment].find((it) => 'silent' in it || it.status !== 200)
  if (missing) {
    const why = 'silent' in missing ? missing.silent : `status ${missing.status}`
    const message = `What the tag at ${site} loads from ${src.origin} does not come: ${why}`
    return fail('site', message, 'Have the proxy pass /embed.js, /embed.html and /placard.css on')
  }
  const state = 'silent' in fragment ? undefined : /data-state="([^"]*)"/.exec(fragment.body)?.[1]
  if (shown && shown.state !== '' && state !== shown.state) {
    const message = `A cache is behind: ${src.origin}/embed.html, which ${site} loads, is older`
    return fail('site', message, 'Purge the tag event there: docs/scaling.md')
  }
  return undefined
}

/** What the page itself hides. */
function hidden(
  { site, page, sheets, tags }: Visit,
  places: readonly Tag[],
  scripts: Visit['scripts'],
): Finding | undefined {
  const rule = sheets.map(hidingRule).find((it) => it !== undefined)
  if (rule !== undefined) {
    return fail('site', `A sheet of ${site} hides the bar: ${rule}`, 'Take that rule away')
  }
  const own = places.find(({ attributes }) => isHiding(attributes.get('style') ?? ''))
  if (own) {
    const message = `The bar at ${site} hides itself: style="${own.attributes.get('style')}"`
    return fail('site', message, 'Take that style away')
  }
  const within = places.every(({ hiddenBy }) => hiddenBy) && places[0]?.hiddenBy
  if (within) {
    const message = `The bar at ${site} is in what is hidden, unless a script shows it: ${within}`
    return warn('site', message, 'Move it out of there')
  }
  const target = scripts[0]?.tag.attributes.get('data-target')
  const [, id] = /^#([\w-]+)$/.exec(target ?? '') ?? []
  if (places.length > 0 || id === undefined || 'cut' in page) return undefined
  if (tags.some(({ attributes }) => attributes.get('id') === id)) return undefined
  const message = `The tag at ${site} wants to be in #${id}, and the HTML has no such element`
  return warn('site', message, 'Correct data-target, or add the element')
}

/** A bar that an app has rendered before the last change. */
function outdated({ site, page }: Visit, bar: Tag, { shown }: OwnService): Finding | undefined {
  const { text, translations = {} } = (shown?.event ?? {}) as {
    text?: string
    translations?: Record<string, string>
  }
  if (text === undefined || 'silent' in page) return undefined
  const [whole, rendered = ''] =
    /class="placard-text"[^>]*>([\s\S]*?)<\/span>\s*(?:<span class="placard-hint"|<svg)/.exec(
      page.body.slice(bar.end),
    ) ?? []
  if (whole === undefined && page.cut) return undefined
  const said = decoded(rendered.replace(/<[^>]*>/g, '')).trim()
  if ([text, ...Object.values(translations)].some((it) => it.trim() === said)) return undefined
  const message = `The bar at ${site} was rendered before the last change: it says “${said.slice(0, 40)}”`
  return fail('site', message, 'Render the page again on a change: docs/next.md')
}
