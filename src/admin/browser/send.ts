import type { Composer } from './composer.ts'
import {
  AGAIN_MS,
  apply,
  ask,
  base,
  dropDraft,
  isSignedOut,
  keptDraft,
  lead,
  say,
} from './requests.ts'
import { askLater } from './sign-in-form.ts'

/** Returns the label and the conflict that somebody sees when they press the button, to detect later changes. */
const spoken = (form: HTMLFormElement) => {
  const told = form.querySelector<HTMLInputElement>('[name=told]')?.value ?? ''
  return `${form.querySelector('.primary')?.textContent} ${told}`
}

const seenIn = (form?: HTMLFormElement) =>
  form?.elements.namedItem('seen') as HTMLInputElement | null | undefined

/** Sends forms by script, so that the page doesn't reload. A double click sends a form only once. */
export function sending(form?: HTMLFormElement, composer?: Composer): void {
  let isBusy = false

  document.addEventListener('submit', async (event) => {
    const { submitter } = event
    const target = event.target as HTMLFormElement
    if (target !== form && target.dataset.deed === undefined) return
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    if (submitter) submitter.ariaBusy = 'true'
    if (target === form && composer) await publish(target, composer)
    else await press(target)
    if (submitter) submitter.ariaBusy = null
    isBusy = false
  })

  document.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('[data-discard]')) dropDraft()
  })

  /** Publishes the draft. If the label or the conflict has changed since the press, shows the change instead. */
  async function publish(target: HTMLFormElement, it: Composer): Promise<void> {
    const said = spoken(target)
    // The fields are inert, because input after the press wouldn't be published, and the update would discard it.
    const fields = target.querySelector<HTMLElement>('.fields') as HTMLElement
    const { activeElement } = document
    fields.inert = true
    const isSettled = await it.preview('', true)
    const isSame = spoken(target) === said
    const answer = isSettled && isSame && (await ask('/publish', it.body()))
    fields.inert = false
    if (fields.contains(activeElement)) (activeElement as HTMLElement).focus()
    if (isSignedOut()) return
    if (!isSame) {
      target.querySelector<HTMLElement>('.primary')?.focus()
      return
    }
    if (!answer) say('unsent')
    // The draft may have been published before the service or the network failed.
    else if (!apply(answer, answer.ok)) say('unsure')
    else if (answer.ok) {
      dropDraft()
      history.replaceState(null, '', base)
      it.renewed()
      await restoreDraft(target, it, seenIn(target)?.value)
    } else if (it.renewed()) return
    lead()
    if (answer !== false && answer.ok) askLater()
  }

  async function press(deed: HTMLFormElement) {
    const body = new URLSearchParams(new FormData(deed) as never)
    const seen = seenIn(form)
    if (seen) body.set('seen', seen.value)
    const answer = await ask(new URL(deed.action).pathname.slice(base.length), body)
    if (answer.status === 401) return
    if (!apply(answer)) say('unsure')
    composer?.preview('?unasked')
    lead()
    if (answer.ok) askLater()
  }
}

/**
 * Restores the draft for this address.
 *
 * @param seen the page's stamps of the announcements that the author has seen (see `Seen`)
 * @returns whether there was a draft to restore
 */
export async function restoreDraft(
  form: HTMLFormElement,
  { preview }: Pick<Composer, 'preview'>,
  seen = '',
): Promise<boolean> {
  const kept = keptDraft()
  if (kept === null) return false
  const body = new URLSearchParams(kept)
  body.set('seen', `${seen} ${body.get('seen') ?? ''}`.trim())
  // Until the response arrives, the form is inert, because typing would overwrite the kept draft.
  form.inert = true
  let answer = await ask('/preview', body)
  while (answer.status === 0 || answer.status >= 500) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    answer = await ask('/preview', body)
  }
  form.inert = false
  if (!answer.ok) return false
  apply(answer, true)
  preview('?unasked')
  return true
}
