import type { Composer } from './composer.ts'
import { setTyped } from './draft.ts'
import { ask, liveUrl, PATIENCE_MS, parsed } from './parts.ts'

/** Puts a notice in the place of the one before, and leads there. */
export function lead(notice: HTMLElement): void {
  const before = document.querySelector('.notice')
  if (before !== notice) {
    before?.remove()
    document.querySelector('main')?.prepend(notice)
  }
  notice.tabIndex = -1
  notice.focus()
}

function post(form: HTMLFormElement, init?: RequestInit): Promise<Response | null> {
  const body = new URLSearchParams(new FormData(form) as never)
  const headers = { Accept: 'text/html', ...init?.headers }
  return ask(form.action, { method: 'POST', body, ...init, headers })
}

const spoken = (form: HTMLFormElement) => form.querySelector('.primary')?.textContent

/**
 * Sends forms so that their page outlives it, with what is typed in it. A form that the browser sends replaces the page
 * by whatever comes back, also by an error of the browser's own, or the page to sign in.
 *
 * @param own shows what a piece of work changes as this page's own
 * @param composing the form of the composer, if the page has it, and what it does
 */
export function sending(
  base: string,
  own: (work: () => Promise<void>) => Promise<void>,
  { form, composer }: { form?: HTMLFormElement; composer?: Composer } = {},
): void {
  const unsent = form?.querySelector<HTMLElement>('.unsent')
  const unsure = form?.querySelector<HTMLElement>('.unsure')
  let busy: Element | null = null

  /** Does something once the service answers. A double click does it once. */
  async function once(pressed: Element | null, work: () => unknown, fail = unreached) {
    if (busy) return
    setBusy(pressed ?? document.body)
    for (const one of [unsent, unsure]) if (one) one.hidden = true
    const response = await ask(liveUrl(base, form ? 'now' : 'history'))
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
    if (target === form) {
      const said = spoken(target)
      // Both questions at once: whether the service answers, and what it says of the draft.
      const settled = composer?.settled()
      once(submitter, async () => publish(target, said, await settled), tell)
    } else if (deed === 'leave') once(submitter, () => target.submit())
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
   * Its answer leads to the next page, or says why it was refused. A button that has said something else when it was pressed
   * does nothing but to say what it would do.
   *
   * @param said by the button, when it was pressed
   * @param settled whether what the page shows is of what is in the form
   */
  async function publish(target: HTMLFormElement, said?: string, settled = true): Promise<void> {
    if (!settled) return tell(null)
    if (spoken(target) !== said) return target.querySelector<HTMLElement>('.primary')?.focus()
    const release = hold(target)
    const response = await post(target, { headers: { Prefer: 'return=minimal' } })
    const next = response?.headers.get('Location')
    if (next) {
      setTyped(false)
      // Whoever goes back from there doesn't find it as if it were unsent.
      location.replace(next)
      // Until the page is gone, a second click must not publish again. Whoever stopped the browser can press it later.
      return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
    }
    release()
    if (response?.status === 401) return
    const page = response && (await parsed(response))
    const notice = page?.querySelector<HTMLElement>('.notice')
    // It may have been published before whatever ended the service, or the way there.
    if (!page || !notice) return tell(null, unsure)
    lead(notice)
    composer?.refuse(page)
  }

  /**
   * Takes the fields from whoever types on: it would not be published, and be gone with the page.
   *
   * @returns gives them back
   */
  function hold(target: HTMLFormElement): () => void {
    const fields = target.querySelector<HTMLElement>('.fields')
    const { activeElement } = document
    if (fields) fields.inert = true
    return () => {
      if (fields) fields.inert = false
      if (fields?.contains(activeElement)) (activeElement as HTMLElement).focus()
    }
  }

  /** Does what a button of a row says without leaving the page. Its notice leads on from there. */
  async function act(deed: HTMLFormElement) {
    const response = await post(deed)
    const page = response && response.status !== 401 ? await parsed(response) : null
    const notice = page?.querySelector<HTMLElement>('.notice')
    if (notice) lead(notice)
    else unreached(response)
  }

  /** Says that nothing was done. Who is signed out has a notice of their own. */
  function unreached(response: Response | null) {
    const { content } = document.querySelector<HTMLTemplateElement>('#unreached') ?? {}
    const notice = content?.firstElementChild?.cloneNode(true)
    if (notice && response?.status !== 401) lead(notice as HTMLElement)
  }

  /** Says the same of a draft, or that it may have been done, beside its button. */
  function tell(response: Response | null, what = unsent) {
    if (what) what.hidden = response?.status === 401
    form?.querySelector('.actions')?.scrollIntoView({ block: 'nearest' })
  }

  // The browser may have kept the page, for whoever goes back to it.
  addEventListener('pageshow', () => setBusy(null))
}
