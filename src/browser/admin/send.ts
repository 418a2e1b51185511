import type { Composer } from './composer.ts'
import { dropDraft, keptDraft } from './draft.ts'
import { lead, say } from './notice.ts'
import { apply, ask, liveUrl } from './parts.ts'

/** What somebody sees when they press the button: its label, and what they were told. */
const spoken = (form: HTMLFormElement) => {
  const told = form.querySelector<HTMLInputElement>('[name=told]')?.value ?? ''
  return `${form.querySelector('.primary')?.textContent} ${told}`
}

/** Sends forms without leaving the page, so that the page and its fields stay. */
export function sending(base: string, form?: HTMLFormElement, composer?: Composer): void {
  let busy: Element | null = null

  /** Runs an action until the service answers. A double click runs it once. */
  async function once(pressed: Element | null, work: () => unknown) {
    if (busy) return
    busy = pressed ?? document.body
    busy.ariaBusy = 'true'
    try {
      const response = await ask(liveUrl(base, form ? 'now' : 'history'))
      if (response?.ok) await work()
      else if (response?.status !== 401) {
        say(form?.contains(pressed) ? 'unsent' : 'unreached')
        lead()
      }
    } finally {
      busy.ariaBusy = null
      busy = null
    }
  }

  document.addEventListener('submit', (event) => {
    const { submitter } = event
    const target = event.target as HTMLFormElement
    if (target === form && composer) {
      event.preventDefault()
      const said = spoken(target)
      // Both at once: whether the service answers, and its verdict on the draft.
      const settled = composer.settled()
      once(submitter, async () => publish(target, composer, said, await settled))
    } else if (target.dataset.deed !== undefined) {
      event.preventDefault()
      once(submitter, () => press(target))
    }
  })

  // A link that opens in another tab doesn't leave this page.
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-deed]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    once(link, () => {
      if ('discard' in link.dataset) dropDraft()
      location.assign(link.href)
    })
  })

  /**
   * If the label or the conflict changed between the press and now, shows that instead of acting.
   *
   * @param said what was shown when the button was pressed
   * @param settled whether the outcome on the page matches the form
   */
  async function publish(
    target: HTMLFormElement,
    { body, refuse, clear, judge }: Composer,
    said: string,
    settled: boolean,
  ): Promise<void> {
    if (!settled) say('unsent')
    else if (spoken(target) !== said) {
      target.querySelector<HTMLElement>('.primary')?.focus()
      return
    } else {
      // Input from now on would not be published, and be lost with the form.
      const fields = target.querySelector<HTMLElement>('.fields')
      const { activeElement } = document
      if (fields) fields.inert = true
      const response = await ask(target.action, { method: 'POST', body: body() })
      if (fields) fields.inert = false
      if (response?.status === 401) return
      const parts = await apply(response, response?.ok)
      // It may have been published before the service or the network failed.
      if (parts.length === 0) say('unsure')
      else if (response?.ok) {
        dropDraft()
        history.replaceState(null, '', base)
        clear()
        const { value = '' } = (target.elements.namedItem('seen') ?? {}) as HTMLInputElement
        await restoreDraft(base, target, { judge }, value)
      } else {
        if (fields?.contains(activeElement)) (activeElement as HTMLElement).focus()
        if (refuse()) return
      }
    }
    lead()
  }

  /** Runs the action of a row's button. */
  async function press(deed: HTMLFormElement) {
    const body = new URLSearchParams(new FormData(deed) as never)
    const seen = form?.elements.namedItem('seen') as HTMLInputElement | null
    if (seen) body.set('seen', seen.value)
    const response = await ask(deed.action, { method: 'POST', body })
    if (response?.status === 401) return
    if ((await apply(response)).length === 0) say('unsure')
    composer?.judge()
    lead()
  }
}

const AGAIN_MS = 2_000

/**
 * Restores the draft for this address.
 *
 * @param seen what its author has seen published since
 * @returns whether there was one
 */
export async function restoreDraft(
  base: string,
  form: HTMLFormElement,
  { judge }: Pick<Composer, 'judge'>,
  seen = '',
): Promise<boolean> {
  const kept = keptDraft()
  if (kept === null) return false
  const body = new URLSearchParams(kept)
  body.set('seen', `${seen} ${body.get('seen') ?? ''}`.trim())
  const restored = () => ask(`${base}/preview`, { method: 'POST', body })
  // Anything typed before would replace the draft.
  form.inert = true
  let response = await restored()
  while (!response || response.status >= 500) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    response = await restored()
  }
  form.inert = false
  if (!response.ok) return false
  await apply(response, true)
  judge()
  return true
}
