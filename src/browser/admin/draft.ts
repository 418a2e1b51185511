/**
 * The tab keeps a draft until it is published or discarded: through a reload, another page of the admin and the next
 * sign-in. Each edited or copied announcement has its own draft.
 */
const key = () => `placard-draft ${location.search}`

export const keptDraft = (): string | null => sessionStorage.getItem(key())

export const keepDraft = (body: URLSearchParams): void => {
  // If storage is full, the draft is only on the page.
  try {
    sessionStorage.setItem(key(), String(body))
  } catch {}
}

export const dropDraft = (): void => sessionStorage.removeItem(key())
