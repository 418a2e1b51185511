/**
 * The display rules (spec 2) as a pure function: what to draw, or nothing.
 *
 * The rules that guard writing guard drawing too, so a row from before a rule existed, or a hand-edited
 * fallback file, can't put a script or a stranger's host behind the line (contract A7).
 */
import { isIconName, linkProblem, textProblem } from '../announcement.ts'

/** The parts that are shown, as the API answers them, as a store keeps them, or as a locale file has them. */
export interface Shown {
  text: string
  /** One of the announcement types; any other opens in the same tab (display rule 3). */
  type: string
  slug: string
  icon?: string | null | undefined
}

/** What to draw. */
export interface View {
  text: string
  href: string
  /** Only a product opens in a new tab, and then without a handle on the page it came from. */
  target: '_blank' | undefined
  rel: 'noopener' | undefined
  /** The name of an icon, or `null` for the sparkle. */
  icon: string | null
  /** Whether it is the event or the fallback that is drawn. */
  from: 'event' | 'fallback'
}

/** The event; without one that may be shown, the fallback; without that, nothing (display rule 1). */
export function view(
  event: Shown | null | undefined,
  fallback: Shown | null | undefined,
): View | null {
  return drawn(event, 'event') ?? drawn(fallback, 'fallback')
}

function drawn(shown: Shown | null | undefined, from: View['from']): View | null {
  if (!shown || typeof shown.text !== 'string' || typeof shown.slug !== 'string') return null
  const text = shown.text.trim()
  const href = shown.slug.trim()
  if (textProblem(text) !== undefined || linkProblem(href) !== undefined) return null
  const newTab = shown.type === 'product'
  return {
    text,
    href,
    target: newTab ? '_blank' : undefined,
    rel: newTab ? 'noopener' : undefined,
    icon: typeof shown.icon === 'string' && isIconName(shown.icon) ? shown.icon : null,
    from,
  }
}
