import type { Composer } from './composer.ts'
import { dropDraft, keptDraft } from './draft.ts'
import { say } from './notice.ts'
import { apply, ask } from './parts.ts'

/** Puts a draft back that was kept, and says so. */
export async function restoreDraft(
  base: string,
  form: HTMLFormElement,
  { judge }: Composer,
): Promise<void> {
  document.addEventListener(
    'click',
    ({ target }) => {
      if ((target as Element).closest('[data-discard]')) dropDraft()
    },
    true,
  )
  const kept = keptDraft()
  if (kept === null) return
  const body = new URLSearchParams(kept)
  form.inert = true
  const response = await ask(`${base}/preview?whole`, { method: 'POST', body })
  form.inert = false
  if (!response?.ok) return
  await apply(response)
  judge()
  say('kept')
}
