/** Renders the styles and the bar as JavaScript, so that one request loads them with the script (contract R14). */
import { type Html, unescaped } from '../bar/html.ts'
import { canonicalTag, hyphenated, mayBeLanguage } from '../core/language.ts'

/** Matches a tag, or the text between tags, in our own HTML. */
const PART = /<(\/?)([a-z]+)((?: [a-z-]+="[^"]*")*)(\/?)>|[^<]+/gi
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/gi

/**
 * The code of a function that creates an element. Trusted Types don't let scripts parse HTML. Old libraries add members
 * to all objects, which `for … in` would list.
 */
const HELPER = `(n,t,a,...c)=>{let e=document.createElementNS("http://www.w3.org/"+n,t);for(let k of Object.entries(a))e.setAttribute(...k);e.append(...c);return e}`

/**
 * Returns code that declares both the styles and a function that creates the bar for an element with a given `lang`.
 * The code drops the function if the bar may be out of date: if the script came from the browser's cache, or once the
 * page has loaded.
 */
export function brought(styles: string, suits?: string, bar?: Html): string {
  if (!suits || !bar) return `let BAR=[${JSON.stringify(styles)}];`
  const isFresh = 'performance.getEntriesByName(document.currentScript?.src)[0]?.transferSize'
  const make = `let h=${HELPER},x="1999/xhtml",s="2000/svg";return ${calls(bar).slice(0, -1)}`
  return `let BAR=[${JSON.stringify(styles)},${isFresh}?l=>{if(${suits}.test(l)){${make}}}:null],o=()=>setTimeout(()=>BAR.length=1);
document.readyState==="complete"?o():addEventListener("load",o);`
}

/** Returns code that creates the bar: one call for each element, with the element's children as arguments. */
function calls(bar: Html): string {
  let namespace = 'x'
  const parts = Array.from(
    String(bar).matchAll(PART),
    ([part, ends, tag, written = '', isEmpty]) => {
      if (tag === undefined) return `${JSON.stringify(unescaped(part))},`
      if (tag === 'svg') namespace = ends ? 'x' : 's'
      if (ends) return '),'
      const own = Array.from(written.matchAll(ATTRIBUTE), ([, name, value = '']) => [
        name,
        unescaped(value),
      ])
      const attributes = JSON.stringify(Object.fromEntries(own))
      return `h(${namespace},"${tag}",${attributes},${isEmpty && '),'}`
    },
  )
  return parts.join('')
}

/**
 * Returns the code of a regular expression for the `lang` values that get the same bar as `asked`. Only languages and
 * known tags have expressions of their own, which limits the number of scripts that are kept in memory.
 *
 * @param asked the tag for which the bar was rendered
 * @param isOwn whether `asked` is the reader's first preference
 * @param known the tags of all texts
 */
export function suited(asked: string, isOwn: boolean, known: readonly string[]): string {
  const tag = hyphenated(asked).toLowerCase()
  const [language = ''] = tag.split('-')
  const all = known.map((one) => one.toLowerCase())
  const differs = all.some((one) => one.startsWith(`${language}-`))
  // A deprecated tag, such as `iw`, gets the texts of the current tag.
  const isCurrent = /^[a-z]{2}$/.test(language) && canonicalTag(language) === language
  const suits = [
    ...(isOwn ? [''] : []),
    ...(isCurrent && !differs && mayBeLanguage(language) ? [`${language}([-_].*)?`] : []),
    ...(differs && all.includes(tag) ? [tag] : []),
  ]
  return `/^(${suits.length > 0 ? suits.join('|') : '-'})$/i`
}
