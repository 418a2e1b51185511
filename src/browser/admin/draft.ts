import { isSaid, say, unsay } from './notice.ts'

/**
 * What somebody types is kept in their tab until they publish or discard it: through a reload, another page of the admin and
 * the next sign-in. Each announcement that is edited, or used as a draft, has a draft of its own.
 */
function key(): string {
  const query = new URLSearchParams(location.search)
  query.delete('lang')
  return `placard-draft ${query}`
}

export const keptDraft = (): string | null => sessionStorage.getItem(key())

export const keepDraft = (body: URLSearchParams): void => {
  // Without room, the draft is on the page alone.
  try {
    sessionStorage.setItem(key(), String(body))
  } catch {}
}

export const dropDraft = (): void => sessionStorage.removeItem(key())

export const isSignedOut = (): boolean => isSaid('signedOut')

/** A signed-out editor has to know before typing on. */
export function heard(isOut: boolean): void {
  if (!isOut) unsay(({ dataset }) => dataset.key === 'signedOut')
  else if (keptDraft() !== null) say('signedOut')
  else location.reload()
}
