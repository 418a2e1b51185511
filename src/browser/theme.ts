import { listen } from './listen.ts'

const NAMED = '[data-theme=dark],.dark,[data-theme=light],.light'
const DARK = '[data-theme=dark],.dark:not([data-theme=light])'

/**
 * Whether the bar's surroundings are dark. The nearest element with a theme (`data-theme`, `.dark`, `.light`) decides.
 * Without one, the nearest background colour decides, unless an image or gradient is nearer to the bar. In all other
 * cases, the text's colour decides: light text means a dark background. On a page without colours, the text follows
 * `color-scheme`, or the system if `color-scheme` allows both themes.
 */
function isDark(places: HTMLElement[]): boolean {
  const named = places.find((one) => one.matches(NAMED))
  if (named) return named.matches(DARK)
  for (const one of places) {
    const style = getComputedStyle(one)
    const behind = lightnessOf(style.backgroundColor)
    if (behind >= 0) return behind < 0.5
    if (style.backgroundImage !== 'none') break
  }
  return lightnessOf(getComputedStyle(places[0] as Element).color) > 0.5
}

/** The lightness of a colour, from 0 to 1, or -1 if the colour is mostly transparent. */
function lightnessOf(colour: string): number {
  // A number, or `none`, follows a space or a bracket: `color(display-p3 0.1 none 1e-7 / 0.5)`.
  const numbers = (colour.match(/(?<=[ (])[\deno.-]+/g) ?? []).map(Number)
  const [a, b, c, alpha = 1] = numbers as [number, number, number, number?]
  // The lightness of oklab() and oklch() goes to 1, that of lab() and lch() to 100. A lab() lightness of 1 or less
  // would be misread, but no page uses a colour that is so nearly black.
  const most = { r: 255, c: 1 }[colour[0] as string]
  return alpha < 0.5 ? -1 : most ? (a + b + c) / most / 3 : a > 1 ? a / 100 : a
}

/** Gives the element's content the page's theme, now and on each change. @returns the observer, to disconnect later */
export function followTheme(
  places: HTMLElement[],
  inner: HTMLElement,
  signal: AbortSignal,
): MutationObserver {
  const look = () => {
    inner.dataset.theme = isDark(places) ? 'dark' : 'light'
  }
  const changes = new MutationObserver(look)
  // Observes only the ancestors, because classes change all the time elsewhere in a page. Observes every attribute,
  // because each library marks its themes in its own way.
  for (const one of places) changes.observe(one, { attributes: true })
  // A background that fades reaches its new colour only at the end, and a stylesheet may load after this script.
  listen(inner.ownerDocument, look, signal, 'transitionend', 'load')
  listen(matchMedia('(prefers-color-scheme:dark)'), look, signal, 'change')
  look()
  return changes
}
