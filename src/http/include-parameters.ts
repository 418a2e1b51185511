import { badRequest } from '../core/messages.ts'
import { linkFault, textFault } from '../core/rules.ts'
import { knownQueryOf } from './input.ts'

const isLink = (value: string) => !linkFault(value)

/** The parameters of a request for `/include.html`. All values are valid, and none is empty. */
export interface Include {
  /** The BCP 47 tag of the language around the bar. */
  readonly lang?: string
  /** `light` or `dark`. Default: the reader's own scheme. */
  readonly theme?: string
  /** The page that fragment links open. Default: the page that the bar is in. */
  readonly base?: string
  /** The link that replaces a coupon's fragment link. */
  readonly 'coupon-href'?: string
  /** The text of the bar while nothing is announced. Default: no bar. */
  readonly 'fallback-text'?: string
  /** The link of the bar while nothing is announced. Default: `#`. */
  readonly 'fallback-href'?: string
  /** `true` if readers can dismiss the bar. */
  readonly dismissible?: string
  /** The nonce of the page's Content-Security-Policy. A response with a nonce is for one page view only. */
  readonly nonce?: string
  /** The address of a stylesheet for the bar. Default: the bar's styles are inlined in the page. */
  readonly styles?: string
}

/**
 * The rule of each parameter (contract R15). The values go into a page's HTML, so links and texts follow the rules for
 * announcements. Otherwise, an `/include.html` address that a developer copies from elsewhere could put a script into
 * the page.
 */
const RULES: Readonly<Record<keyof Include, (value: string) => boolean>> = {
  // Any tag is valid, as in the embed script; without a bar for the tag, its closest match is used.
  lang: (value) => /^[\w-]{1,35}$/.test(value),
  theme: (value) => value === 'light' || value === 'dark',
  base: (value) => isLink(value) && !value.includes('#'),
  'coupon-href': isLink,
  'fallback-text': (value) => !textFault(value),
  'fallback-href': isLink,
  dismissible: (value) => value === 'true',
  nonce: (value) => /^[\w+/-]{1,128}={0,2}$/.test(value),
  styles: isLink,
}

const NAMES = Object.keys(RULES) as (keyof Include)[]

/**
 * Reads the parameters. An empty one counts as missing, because a template may have nothing to fill in; `dismissible`
 * alone means `dismissible=true`.
 *
 * @returns the parameters in a fixed order, whatever their order in the query
 * @throws Problem `invalid_request` that names a parameter that is unknown, repeated or invalid
 */
export function includeIn(query: URLSearchParams): Include {
  const given = knownQueryOf(query, ...NAMES)
  if (given.dismissible === '') given.dismissible = 'true'
  if (given.dismissible === 'false') delete given.dismissible
  const include: { -readonly [Name in keyof Include]: string } = {}
  for (const name of NAMES) {
    const value = given[name]?.trim()
    if (!value) continue
    if (!RULES[name](value)) throw badRequest('invalid_parameter', { name })
    include[name] = value
  }
  return include
}
