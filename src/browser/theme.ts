const DARK = 'dark'
const LIGHT = 'light'

/**
 * By the nearest ancestor that names a theme (`data-theme`, `.dark`, `.light`), else by the background that the place has,
 * else by the colour of the page's canvas. Browsers choose that by the page's own `color-scheme`, and follow the system
 * only where the page does.
 *
 * @param inner where the canvas's colour can be read
 */
function themeOf(host: HTMLElement, inner: HTMLElement): typeof DARK | typeof LIGHT {
  const named = host.closest('[data-theme=light],[data-theme=dark],.light,.dark')
  if (named) return named.matches('[data-theme=dark],.dark:not([data-theme=light])') ? DARK : LIGHT
  inner.style.outlineColor = 'canvas'
  let lightness: number | undefined
  for (let one: Element | null = host; one && lightness === undefined; one = one.parentElement) {
    lightness = lightnessOf(getComputedStyle(one).backgroundColor)
  }
  lightness ??= lightnessOf(getComputedStyle(inner).outlineColor) ?? 1
  return lightness < 0.5 ? DARK : LIGHT
}

/** From 0 to 1; nothing for a colour that can be seen through, or that is in another space. */
function lightnessOf(colour: string): number | undefined {
  const [a = 0, b = 0, c = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
  const [space] = colour
  if (alpha < 0.5 || !'ro'.includes(`${space}`)) return undefined
  return space === 'r' ? (a + b + c) / 765 : a
}

/** Gives a place within the element the theme of the page, now and whenever it may have changed. */
export function followTheme(host: HTMLElement, inner: HTMLElement, signal: AbortSignal): void {
  const look = () => {
    inner.dataset.theme = themeOf(host, inner)
  }
  const changes = new MutationObserver(look)
  // The ancestors alone: in the rest of a page, classes change all the time. Each library names a theme in its own attribute.
  for (let one: Element | null = host; one; one = one.parentElement) {
    changes.observe(one, { attributes: true })
  }
  // A background that fades has its new colour in the end.
  document.addEventListener('transitionend', look, { signal })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', look, { signal })
  signal.addEventListener('abort', () => changes.disconnect())
  look()
}
