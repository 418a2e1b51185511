import type { Composer } from './composer.ts'
import { setTyped } from './draft.ts'
import { ask, liveUrl, parsed } from './parts.ts'

/** How long an answer may take. Whoever stopped the browser meanwhile can press the button again after it. */
const PATIENCE_MS = 10_000

/**
 * Sends forms so that their page outlives it, with what is typed in it. What comes back replaces the page, so an error of
 * the browser, or the page to sign in, would take it away: the service has to answer first.
 *
 * @param own shows what a piece of work changes as this page's own
 * @param composing the form of the composer, if the page has it, and whether its button says what it would do by now
 */
export function sending(
  base: string,
  own: (work: () => Promise<void>) => Promise<void>,
  { form, settled }: { form?: HTMLFormElement; settled?: Composer['settled'] } = {},
): void {
  const unsent = form?.querySelector<HTMLElement>('.unsent')
  let busy: Element | null = null

  /** Does something once the service answers. A double click does it once. */
  async function once(pressed: Element | null, work: () => unknown, fail = unreached) {
    if (busy) return
    setBusy(pressed ?? document.body)
    if (unsent) unsent.hidden = true
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await ask(liveUrl(base, form ? 'now' : 'history'), { signal })
    if (response?.ok) await work()
    else fail(response)
    setBusy(null)
  }

  function setBusy(pressed: Element | null) {
    if (busy) busy.ariaBusy = null
    busy = pressed
    if (busy) busy.ariaBusy = 'true'
  }

  document.addEventListener('submit', (event) => {
    const { submitter } = event
    const target = event.target as HTMLFormElement
    const { deed } = target.dataset
    if (target !== form && deed === undefined) return
    event.preventDefault()
    if (target === form) once(submitter, () => publish(target), tell)
    else if (deed === 'leave') once(submitter, () => target.submit())
    else once(submitter, () => own(() => act(target)))
  })

  // Whoever opens it elsewhere stays here.
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-deed]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    once(link, () => location.assign(link.href))
  })

  /**
   * Its answer is the next page. If that takes too long, what was typed may be sent again. A button that has said something
   * else when it was pressed does nothing but to say what it would do.
   */
  async function publish(target: HTMLFormElement): Promise<void> {
    const button = target.querySelector<HTMLElement>('.primary')
    const said = button?.textContent
    if (settled && !(await settled())) return tell(null)
    if (button?.textContent !== said) return button?.focus()
    setTyped(false)
    target.submit()
    return new Promise((resolve) => {
      setTimeout(() => {
        setTyped(true)
        resolve()
      }, PATIENCE_MS)
    })
  }

  /** Does what a button of a row says without leaving the page. Its notice leads on from there. */
  async function act(deed: HTMLFormElement) {
    const body = new URLSearchParams(new FormData(deed) as never)
    const headers = { Accept: 'text/html' }
    const response = await ask(deed.action, { method: 'POST', body, headers })
    const page = response && response.status !== 401 ? await parsed(response) : null
    const notice = page?.querySelector<HTMLElement>('.notice')
    if (notice) lead(notice)
    else unreached(response)
  }

  /** Puts a notice in the place of the one before, and leads there. */
  function lead(notice: HTMLElement) {
    document.querySelector('.notice')?.remove()
    document.querySelector('main')?.prepend(notice)
    notice.tabIndex = -1
    notice.focus()
  }

  /** Says that nothing was done. Who is signed out has a notice of their own. */
  function unreached(response: Response | null) {
    const { content } = document.querySelector<HTMLTemplateElement>('#unreached') ?? {}
    const notice = content?.firstElementChild?.cloneNode(true)
    if (notice && response?.status !== 401) lead(notice as HTMLElement)
  }

  /** Says the same of a draft, beside its button. */
  function tell(response: Response | null) {
    if (unsent) unsent.hidden = response?.status === 401
    form?.querySelector('.actions')?.scrollIntoView({ block: 'nearest' })
  }

  // The browser may have kept the page, for whoever goes back to it.
  addEventListener('pageshow', () => setBusy(null))
}
