/** What comes with the script tag beside its code (contract R14), in JavaScript. */
import type { Markup } from '../bar/markup.ts'
import { canonicalTag, mayBeLanguage } from '../core/language.ts'

/** The parts of an icon's inside: `<path d="…"/>`, `<g …>`, `</g>`. */
const PART = /<(\/?)([a-z]+)((?: [a-z-]+="[^"]*")*)(\/?)>/gi
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/gi

/** Makes an element by calls, because a policy of Trusted Types lets no script parse HTML. */
const HELPER = `(n,t,a,...c)=>{let e=document.createElementNS("http://www.w3.org/"+n,t);for(let k in a)e.setAttribute(k,a[k]);e.append(...c);return e}`

/**
 * Declares the styles, and a function that makes the bar for a place by its `lang`. There is none in a script that the
 * browser took from its cache, nor for what comes after the page has loaded, because that bar may be out of date.
 */
export function brought(styles: string, suits?: string, bar?: Markup): string {
  if (!suits || !bar) return `let BAR=[${JSON.stringify(styles)}];`
  const isFresh = 'performance.getEntriesByName(document.currentScript?.src)[0]?.transferSize'
  const make = `let h=${HELPER},x="1999/xhtml",s="2000/svg";return ${calls(bar)}`
  return `let BAR=[${JSON.stringify(styles)},${isFresh}?l=>{if(${suits}.test(l)){${make}}}:null],o=()=>setTimeout(()=>BAR.length=1);
document.readyState==="complete"?o():addEventListener("load",o);`
}

function calls(one: Markup | string): string {
  if (typeof one === 'string') return JSON.stringify(one)
  const { tag, attributes, children, inside } = one
  if (inside === undefined) return `${call('x', tag, attributes)}${children.map(calls)})`
  const parts = Array.from(inside.matchAll(PART), ([, ends, name = '', written = '', isEmpty]) => {
    const own = Array.from(written.matchAll(ATTRIBUTE), ([, key, value]) => [key, value])
    return ends ? '),' : call('s', name, Object.fromEntries(own)) + (isEmpty && '),')
  })
  return `${call('s', tag, attributes)}${parts.join('')})`
}

const call = (namespace: string, tag: string, attributes: object) =>
  `h(${namespace},"${tag}",${JSON.stringify(attributes)},`

/**
 * A regular expression, as code, for the `lang` of the places that show the same bar as those without one, because their
 * language is as good as the reader's. There are no more of these than languages, because each takes memory.
 *
 * @param asked the tag that the bar was rendered for
 * @param isOwn whether it is the reader's first preference
 * @param known the tags of all texts there are
 */
export function suited(asked: string, isOwn: boolean, known: readonly string[]): string {
  const tag = asked.toLowerCase()
  const [language = ''] = tag.split('-')
  const all = known.map((one) => one.toLowerCase())
  const differs = all.some((one) => one.startsWith(`${language}-`))
  // A former name, such as `iw`, has the texts of another.
  const isCurrent = /^[a-z]{2}$/.test(language) && canonicalTag(language) === language
  const suits = [
    ...(isOwn ? [''] : []),
    ...(isCurrent && !differs && mayBeLanguage(language) ? [`${language}(-.*)?`] : []),
    ...(differs && all.includes(tag) ? [tag] : []),
  ]
  return `/^(${suits.length > 0 ? suits.join('|') : '-'})$/i`
}
