import type { Composer } from './composer.ts'
import { keptDraft } from './draft.ts'
import { apply, ask } from './parts.ts'

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
