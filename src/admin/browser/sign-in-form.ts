import { ask, base, focusOn } from './requests.ts'

const isSignIn = () => document.querySelector('[data-sign-in]') !== null

/**
 * Redeems the code of a sign-in link. No log or referrer contains the code, because it is in the fragment. The script
 * removes the code from the address immediately, so the browser's history doesn't keep it (contract O1).
 */
export async function signIn(): Promise<void> {
  const code = location.hash.slice(1)
  // A fragment that isn't a code is an in-page link. On the sign-in page, all of those are short, so a long fragment
  // there is a damaged code.
  if (/^[\w-]{22}$/.test(code) || (isSignIn() && code.length > 15)) {
    history.replaceState(null, '', location.pathname)
    document.querySelector('.busy')?.removeAttribute('hidden')
    // Submits a form rather than using `fetch`, so that the browser shows any response as a page.
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: `${base}/session`, hidden: true })
    form.append(Object.assign(document.createElement('input'), { name: 'code', value: code }))
    document.body.append(form)
    form.submit()
    return
  }
  // A visit from a link on another site lacks the session cookie (SameSite=Strict), but this `fetch` sends it.
  const isFromHere = document.referrer.startsWith(`${location.origin}/`)
  if (!isSignIn() || isFromHere || !document.querySelector('.notice[hidden]')) return
  if ((await fetch(`${base}/live`)).ok) location.reload()
}

const nameForm = () => document.querySelector<HTMLFormElement>('.ask-name')

/** Asks for a name, once the person has changed something that the history shows. */
export const askLater = (): void => nameForm()?.removeAttribute('hidden')

/** Stores the name that the person gives, or an empty one, with the session, for the history. */
export function askName(): void {
  const form = nameForm()
  const keep = async (name: string) => {
    const { ok } = await ask('/name', new URLSearchParams({ name }))
    if (!ok) return
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
}

/** Stores the browser's time zone in a cookie, for the service. Reloads a page that shows times in another zone. */
export function keepZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (document.cookie.split('; ').includes(`placard-zone=${encodeURIComponent(timeZone)}`)) return
  setCookie('zone', timeZone)
  if (document.cookie.includes('placard-zone=') && !isSignIn()) location.reload()
}

/** Makes each language link in the footer open this page in the link's language, and store that choice. */
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
