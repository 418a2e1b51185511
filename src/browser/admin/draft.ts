import { isSaid, say, unsay } from './notice.ts'

/**
 * The tab keeps a draft until it is published or discarded: through a reload, another page of the admin and the next
 * sign-in. Each edited or copied announcement has its own draft.
 */
function key(): string {
  const query = new URLSearchParams(location.search)
  query.delete('lang')
  return `placard-draft ${query}`
}

export const keptDraft = (): string | null => sessionStorage.getItem(key())

export const keepDraft = (body: URLSearchParams): void => {
  // If storage is full, the draft is only on the page.
  try {
    sessionStorage.setItem(key(), String(body))
  } catch {}
}

export const dropDraft = (): void => sessionStorage.removeItem(key())

export const isSignedOut = (): boolean => isSaid('signedOut')

/** Tells a signed-out editor before they type on. */
export function heard(isOut: boolean): void {
  if (!isOut) unsay(({ dataset }) => dataset.key === 'signedOut')
  else if (keptDraft() !== null) say('signedOut')
  else location.reload()
}
