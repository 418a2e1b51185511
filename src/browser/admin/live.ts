import { follow } from '../follow.ts'
import { isSignedOut } from './draft.ts'
import { isAway, liveUrl, part, renew } from './parts.ts'
import { localTime, localTimes } from './times.ts'

/**
 * The stream tells of what shows. What is scheduled, or waits behind it, isn't on it, so a page that is looked at asks for
 * that as well. It asks as often as an open page may be late.
 */
const ASK_EVERY_MS = 1_000

/** Whoever signs in again mostly does so in another tab, and comes back to this one. */
const SIGNED_OUT_TURNS = 5
/** About a minute. */
const LONGEST_TURNS = 64

/**
 * Keeps what is up and what comes current, and says so when it changed under a draft (contract A17).
 *
 * @param judge tells anew what publishing the draft will do
 * @returns what does something, and shows what came of it as this page's own work
 */
export function live(base: string, form: HTMLFormElement, judge: () => void) {
  const shown = (part: string) => document.querySelector<HTMLElement>(`[data-part=${part}]`)
  const refresh = keepCurrent(base, 'now', show)
  let isOwn = false

  function show(fresh: Element) {
    const { newest } = shown('now')?.dataset ?? {}
    const { value, defaultValue } = slider() ?? {}
    localTimes(fresh)
    renew(fresh.querySelector('[data-part=now]'))
    renew(fresh.querySelector('[data-part=next]'))
    // Nobody has to hear of what they did themselves.
    const seen = form.elements.namedItem('seen') as HTMLInputElement | null
    const now = shown('now')?.dataset.newest
    if (isOwn && seen) seen.value = now ?? seen.value
    // What is said to have been done may not stand any more.
    if (!isOwn && now !== newest) dismiss()
    judge()
    const moved = slider()
    // Whoever looks at Friday goes on looking at Friday.
    if (moved && value !== undefined && value !== defaultValue) {
      moved.value = value
      look()
    }
    tell()
  }

  function dismiss() {
    const notice = document.querySelector('.notice[data-kind=done]')
    const isLedTo = notice?.contains(document.activeElement)
    notice?.remove()
    const title = document.querySelector('h1')
    if (!isLedTo || !title) return
    title.tabIndex = -1
    title.focus()
  }

  const slider = () => document.querySelector<HTMLInputElement>('#at')

  /** Milliseconds say nothing to whoever hears where the slider is, which is where the page looks to. */
  function tell(time = document.querySelector('[data-part=ahead] time')?.textContent ?? '') {
    const at = slider()
    if (at) at.ariaValueText = time
  }

  /** Looks ahead, to where the slider is. */
  async function look() {
    const at = slider()?.value
    const ahead = await part(`${base}/ahead?at=${at}`)
    if (!ahead || slider()?.value !== at) return
    localTimes(ahead)
    renew(ahead)
    tell()
  }

  document.addEventListener('input', ({ target }) => {
    const at = slider()
    if (!at || target !== at) return
    // Its first step may have begun before now.
    tell(localTime(new Date(Math.max(Number(at.value), Date.now()))))
    look()
  })
  tell()

  return async (work: () => Promise<void>): Promise<void> => {
    isOwn = true
    await work()
    await refresh()
    isOwn = false
  }
}

/** Keeps the newest page of the history current. @returns as {@link live} */
export function liveHistory(base: string) {
  const refresh = keepCurrent(base, 'history', (fresh) => {
    localTimes(fresh)
    renew(fresh)
  })
  return async (work: () => Promise<void>): Promise<void> => {
    await work()
    await refresh()
  }
}

/**
 * Asks again whenever something changes, and passes on what isn't shown yet.
 *
 * @returns what asks now, and resolves once all is shown
 */
function keepCurrent(base: string, name: string, show: (fresh: Element) => void) {
  let asking: Promise<void> | undefined
  /** A change was told while an answer was on its way, which may not know of it. */
  let again = false

  async function ask() {
    do {
      again = false
      const fresh = await part(liveUrl(base, name))
      if (fresh) show(fresh)
    } while (again)
  }

  async function refresh(): Promise<void> {
    if (document.hidden) return
    again = true
    asking ??= ask().finally(() => {
      asking = undefined
    })
    await asking
  }

  const [listen] = follow(
    `${base}/stream`,
    (id) => {
      if (id) refresh()
    },
    () => {
      listen()
      refresh()
    },
  )
  listen()
  addEventListener('focus', refresh)
  let turn = 0
  let every = 1
  setInterval(() => {
    // While nothing answers, each wait is twice the last, because each try is a line in the console.
    if (++turn % every !== 0 || (isSignedOut() && turn % SIGNED_OUT_TURNS !== 0)) return
    every = isAway() ? Math.min(every * 2, LONGEST_TURNS) : 1
    refresh()
  }, ASK_EVERY_MS)
  return refresh
}
