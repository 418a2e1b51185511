type Theme = 'light' | 'dark'

/**
 * By the nearest ancestor that names a theme (`data-theme`, `.dark`, `.light`), else by the background that the place has.
 * Where that is an image, a gradient or none at all, the text tells: it is light where what lies behind it is dark. A page
 * that sets no colour has the one of its own `color-scheme`, and follows the system only where it says so.
 */
function themeOf(host: HTMLElement): Theme {
  const named = host.closest('[data-theme=light],[data-theme=dark],.light,.dark')
  const isDark = named
    ? named.matches('[data-theme=dark],.dark:not([data-theme=light])')
    : lightnessBehind(host, getComputedStyle(host).color) < 0.5
  return isDark ? 'dark' : 'light'
}

/** @param text its colour in that place */
function lightnessBehind(one: Element, text: string): number {
  const style = getComputedStyle(one)
  const further = style.backgroundImage === 'none' && one.parentElement
  return (
    lightnessOf(style.backgroundColor) ??
    (further ? lightnessBehind(further, text) : 1 - (lightnessOf(text) ?? 0))
  )
}

/** From 0 to 1; nothing for a colour that can be seen through, or that is in another space. */
function lightnessOf(colour: string): number | undefined {
  const [a, b, c, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number) as Numbers
  const by: Record<string, number> = { r: (a + b + c) / 765, o: a }
  return alpha < 0.5 ? undefined : by[colour[0] as string]
}

type Numbers = [number, number, number, number?]

/** Gives a place within the element the theme of the page, now and whenever it may have changed. */
export function followTheme(host: HTMLElement, inner: HTMLElement, signal: AbortSignal): void {
  const look = () => {
    inner.dataset.theme = themeOf(host)
  }
  const changes = new MutationObserver(look)
  // The ancestors alone: in the rest of a page, classes change all the time. Each library names a theme in its own attribute.
  for (let one: Element | null = host; one; one = one.parentElement) {
    changes.observe(one, { attributes: true })
  }
  // A background that fades has its new colour in the end, and a stylesheet may come after this script.
  const options = { capture: true, signal }
  document.addEventListener('transitionend', look, options)
  document.addEventListener('load', look, options)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', look, options)
  signal.addEventListener('abort', () => changes.disconnect())
  look()
}
