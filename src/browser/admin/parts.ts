/** Asks the admin for a part of a page. `null` if there is nothing new, or no answer. */
export async function part(url: string, init: RequestInit = {}): Promise<Element | null> {
  try {
    const response = await fetch(url, {
      ...init,
      headers: { Accept: 'application/json', ...init.headers },
    })
    // Whoever is signed out has to know before they type on.
    if (response.status === 401) location.reload()
    if (response.status !== 200) return null
    const html = new DOMParser().parseFromString(await response.text(), 'text/html')
    return html.body.firstElementChild
  } catch {
    return null
  }
}

const CONTROLS = 'a, button, input, summary'

/** Puts a fresh part in the place of the one that it succeeds. Whoever was about to press something there stays there. */
export function renew(after: Element | null): void {
  const before = document.querySelector(`[data-part=${after?.getAttribute('data-part')}]`)
  if (!before || !after) return
  const focused = [...before.querySelectorAll(CONTROLS)].indexOf(document.activeElement as Element)
  before.replaceWith(after)
  after.querySelectorAll<HTMLElement>(CONTROLS)[focused]?.focus({ preventScroll: true })
}
