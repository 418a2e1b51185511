import { setTyped } from './draft.ts'
import { ask } from './parts.ts'

/** How long an answer may take. Whoever stopped the browser meanwhile can press the button again after it. */
const PATIENCE_MS = 10_000

/**
 * Sends the draft once the service has answered. What comes back replaces the page, so an error of the browser, or the
 * page to sign in, would take with it what was typed.
 */
export function sending(base: string, form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('.primary')
  const unsent = form.querySelector<HTMLElement>('.unsent')
  if (!button || !unsent) return
  const release = () => {
    button.ariaBusy = null
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    // A double click sends one.
    if (button.ariaBusy) return
    button.ariaBusy = 'true'
    unsent.hidden = true
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { state = '' } = document.querySelector<HTMLElement>('[data-part=now]')?.dataset ?? {}
    const response = await ask(`${base}/live?now=${encodeURIComponent(state)}`, { signal })
    if (response?.ok) {
      setTyped(false)
      form.submit()
      setTimeout(() => {
        release()
        setTyped(true)
      }, PATIENCE_MS)
      return
    }
    release()
    // Who is signed out has a notice of their own.
    unsent.hidden = response?.status === 401
    form.querySelector('.actions')?.scrollIntoView({ block: 'nearest' })
  })
  // The browser may have kept the page, for whoever goes back to it.
  addEventListener('pageshow', release)
}
