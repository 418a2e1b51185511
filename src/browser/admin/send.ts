import { isTyped, setTyped } from './draft.ts'
import { ask, parsed } from './parts.ts'

/** How long an answer may take. Whoever stopped the browser meanwhile can press the button again after it. */
const PATIENCE_MS = 10_000

/**
 * Sends forms so that what is typed outlives it. What comes back replaces the page, so an error of the browser, or the page
 * to sign in, would take the draft with it: the service has to answer first.
 *
 * @param own shows what a piece of work changes as this page's own
 */
export function sending(
  base: string,
  form: HTMLFormElement,
  own: (work: () => Promise<void>) => Promise<void>,
): void {
  const button = form.querySelector<HTMLButtonElement>('.primary')
  const unsent = form.querySelector<HTMLElement>('.unsent')
  if (!button || !unsent) return
  let isBusy = false

  function setBusy(it: boolean) {
    isBusy = it
    if (button) button.ariaBusy = it ? 'true' : null
  }

  document.addEventListener('submit', async (event) => {
    const target = event.target as HTMLFormElement
    const isDeed = target.dataset.deed !== undefined && isTyped
    if (target !== form && !isDeed) return
    event.preventDefault()
    // A double click sends one.
    if (isBusy) return
    setBusy(true)
    unsent.hidden = true
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { state = '' } = document.querySelector<HTMLElement>('[data-part=now]')?.dataset ?? {}
    const response = await ask(`${base}/live?now=${encodeURIComponent(state)}`, { signal })
    if (!response?.ok) {
      tell(response)
    } else if (isDeed) {
      await own(() => act(target))
    } else {
      setTyped(false)
      form.submit()
      setTimeout(() => {
        setBusy(false)
        setTyped(true)
      }, PATIENCE_MS)
      return
    }
    setBusy(false)
  })

  /** Does what a button of a row says without leaving the page. Its notice leads on from there. */
  async function act(deed: HTMLFormElement) {
    const body = new URLSearchParams(new FormData(deed) as never)
    const headers = { Accept: 'text/html' }
    const response = await ask(deed.action, { method: 'POST', body, headers })
    const page = response && response.status !== 401 ? await parsed(response) : null
    const notice = page?.querySelector<HTMLElement>('.notice')
    if (!notice) return tell(response)
    document.querySelector('.notice')?.remove()
    document.querySelector('main')?.prepend(notice)
    notice.tabIndex = -1
    notice.focus()
  }

  /** Says why nothing was sent. Who is signed out has a notice of their own. */
  function tell(response: Response | null) {
    if (unsent) unsent.hidden = response?.status === 401
    form.querySelector('.actions')?.scrollIntoView({ block: 'nearest' })
  }

  // The browser may have kept the page, for whoever goes back to it.
  addEventListener('pageshow', () => setBusy(false))
}
