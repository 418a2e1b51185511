import { base, focusOn } from './page.ts'

const isSignIn = () => document.querySelector('[data-sign-in]') !== null

/**
 * Redeems the code of a link. No log or referrer contains the code, because it is in the fragment. It is removed from
 * the address immediately, so the browser's history doesn't keep it (contract O1).
 */
export async function signIn(): Promise<void> {
  const code = location.hash.slice(1)
  // Any other fragment is a link within the page.
  if (/^[\w-]{22}$/.test(code)) {
    history.replaceState(null, '', location.pathname)
    document.querySelector('.busy')?.removeAttribute('hidden')
    // A form, because the browser then shows any response as a page.
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: `${base}/session`, hidden: true })
    form.append(Object.assign(document.createElement('input'), { name: 'code', value: code }))
    document.body.append(form)
    form.submit()
    return
  }
  // A visit from another site's link comes without the cookie (SameSite=Strict). A request from our own page has it.
  const isFromHere = document.referrer.startsWith(`${location.origin}/`)
  if (!isSignIn() || isFromHere || !document.querySelector('.notice[hidden]')) return
  if ((await fetch(`${base}/live`)).ok) location.reload()
}

/** Stores a person's name for the history in this browser, or the fact that they gave none. */
export function askName(): void {
  const form = document.querySelector<HTMLFormElement>('.ask-name')
  const keep = (name: string) => {
    setCookie('name', name)
    const shown = Object.assign(document.createElement('bdi'), { textContent: name })
    if (name) document.querySelector('.who')?.prepend(shown)
    form?.remove()
    focusOn(document.querySelector('h1'))
    document.querySelector<HTMLElement>('#text')?.focus()
  }
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    keep(form.querySelector('input')?.value.trim() ?? '')
  })
  form?.querySelector('[data-skip-name]')?.addEventListener('click', () => keep(''))
  // So that keyboard users needn't tab through the header to their first announcement.
  form?.querySelector('input')?.focus({ preventScroll: true })
}

/** Tells the service the browser's time zone, to show and read times. Reloads a page that shows another zone's. */
export function keepZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (document.cookie.split('; ').includes(`placard-zone=${encodeURIComponent(timeZone)}`)) return
  setCookie('zone', timeZone)
  if (document.cookie.includes('placard-zone=') && !isSignIn()) location.reload()
}

/** Makes each link in the footer open this page in its language, and store that choice. */
export function keepLanguage(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) {
    link.search = location.search
    link.addEventListener('click', () => setCookie('lang', link.lang))
  }
}

export function setCookie(name: string, value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const rest = `Path=${base}; Max-Age=31536000; SameSite=Lax${secure}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs a secure context
  document.cookie = `placard-${name}=${encodeURIComponent(value)}; ${rest}`
}
