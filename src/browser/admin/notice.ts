/** The page's own messages. Their words are templates in the page. */
type Key = 'signedOut' | 'unsent' | 'unsure' | 'away' | 'unreached' | 'kept'

export const notice = () => document.querySelector<HTMLElement>('.notice')

/** Focuses the notice, so screen readers read it and Tab goes on from it. */
export function lead(): void {
  const it = notice()
  if (!it) return
  it.tabIndex = -1
  it.focus()
}

/** Shows a message in place of the last one. */
export function say(key: Key): void {
  const { content } = document.querySelector<HTMLTemplateElement>(`[data-say=${key}]`) ?? {}
  const said = content?.firstElementChild?.cloneNode(true) as HTMLElement | undefined
  if (!said || isSaid(key)) return
  said.dataset.key = key
  notice()?.replaceWith(said)
}

export const isSaid = (key: Key): boolean => notice()?.dataset.key === key

/** Removes the message if it is no longer true. */
export function unsay(isOver: (it: HTMLElement) => boolean): void {
  const it = notice()
  if (!it || it.hidden || !isOver(it)) return
  const isLedTo = it.contains(document.activeElement)
  it.hidden = true
  it.replaceChildren()
  delete it.dataset.key
  const title = document.querySelector('h1')
  if (!isLedTo || !title) return
  title.tabIndex = -1
  title.focus()
}
