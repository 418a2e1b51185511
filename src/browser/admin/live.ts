import { part, renew } from './parts.ts'
import { localTimes } from './times.ts'

/** The stream tells of what shows. What is only scheduled isn't on it, so the page asks for that as well. */
const ASK_EVERY_MS = 4_000

/** Keeps what is up and what comes current, and says so when it changed under a draft (contract A17). */
export function live(base: string, form: HTMLFormElement): void {
  const shown = (part: string) => document.querySelector<HTMLElement>(`[data-part=${part}]`)
  let asking = false
  /** A change was told while an answer was on its way, which may not know of it. */
  let again = false

  async function refresh() {
    if (document.hidden) return
    again = asking
    if (asking) return
    asking = true
    const state = encodeURIComponent(shown('now')?.dataset.state ?? '')
    const fresh = await part(`${base}/live?state=${state}`)
    asking = false
    if (fresh) show(fresh)
    if (again) refresh()
  }

  function show(fresh: Element) {
    const { value, defaultValue } = slider() ?? {}
    localTimes(fresh)
    const now = fresh.querySelector<HTMLElement>('[data-part=now]')
    renew(now)
    renew(fresh.querySelector('[data-part=next]'))
    if (now) warn(now)
    const moved = slider()
    // Whoever looks at Friday goes on looking at Friday.
    if (moved && value !== undefined && value !== defaultValue) {
      moved.value = value
      look()
    }
  }

  /** The next publication is meant to replace what is up now, so its author has to know of it first. */
  function warn(fresh: HTMLElement) {
    const seen = form.elements.namedItem('seen') as HTMLInputElement | null
    const { seen: now = '', shows = '' } = fresh.dataset
    if (!seen || seen.value === now) return
    seen.value = now
    const notice = form.querySelector<HTMLElement>('.meanwhile')
    const text = notice?.querySelector('bdi')
    if (!notice || !text) return
    text.textContent = shows || (fresh.querySelector('.empty b')?.textContent ?? '')
    notice.hidden = false
  }

  const slider = () => document.querySelector<HTMLInputElement>('#at')

  /** Looks ahead, to where the slider is. */
  async function look() {
    const at = slider()?.value
    const ahead = await part(`${base}/ahead?at=${at}`)
    if (!ahead || slider()?.value !== at) return
    localTimes(ahead)
    renew(ahead)
  }

  const events = new EventSource(`${base}/stream`)
  events.onmessage = refresh
  document.addEventListener('visibilitychange', refresh)
  setInterval(refresh, ASK_EVERY_MS)
  document.addEventListener('input', ({ target }) => {
    if (target === slider()) look()
  })
}
