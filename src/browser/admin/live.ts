import { follow } from '../follow.ts'
import { isSignedOut } from './draft.ts'
import { unsay } from './notice.ts'
import { ask, isAway, liveUrl, partsIn, renew } from './parts.ts'
import { localTime } from './times.ts'

/**
 * The stream tells of what shows. What is scheduled, or waits behind it, isn't on it, so a page that is looked at asks for
 * that as well. It asks as often as an open page may be late.
 */
const ASK_EVERY_MS = 1_000

/** People mostly sign in again in another tab, then return to this one. */
const SIGNED_OUT_TURNS = 5
/** About a minute. */
const LONGEST_TURNS = 64

/**
 * Keeps what is up and what comes current.
 *
 * @param judge tells anew what publishing the draft will do, which says what changed under it (contract A17)
 */
export function live(base: string, judge: () => void): void {
  const slider = () => document.querySelector<HTMLInputElement>('#at')

  keepCurrent(base, 'now', (parts) => {
    const { value, defaultValue } = slider() ?? {}
    for (const part of parts) renew(part)
    // It was somebody else, so what is said to have been done may not stand any more.
    unsay(({ dataset }) => dataset.kind === 'done' && !dataset.key)
    judge()
    const moved = slider()
    // A slider that was set to Friday stays on Friday.
    if (moved && value !== undefined && value !== defaultValue) {
      moved.value = value
      look()
    }
    tell()
  })

  /** Milliseconds mean nothing to a listener, so screen readers get the time that the slider stands for. */
  function tell(time = document.querySelector('[data-part=ahead] time')?.textContent ?? '') {
    const at = slider()
    if (at) at.ariaValueText = time
  }

  /** Looks ahead, to where the slider is. */
  async function look() {
    const at = slider()?.value
    const [ahead] = await partsIn(await ask(`${base}/ahead?at=${at}`))
    if (!ahead || slider()?.value !== at) return
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
}

/** Keeps the newest page of the history current. */
export function liveHistory(base: string): void {
  keepCurrent(base, 'history', (parts) => {
    for (const part of parts) renew(part)
  })
}

/**
 * Asks again whenever something changes, and passes on what isn't shown yet.
 */
function keepCurrent(base: string, name: string, show: (fresh: HTMLElement[]) => void) {
  let asking: Promise<void> | undefined
  /** A change was told while an answer was on its way, which may not know of it. */
  let again = false

  async function look() {
    do {
      again = false
      const url = liveUrl(base, name)
      const response = await ask(url)
      const fresh = response?.status === 200 ? await partsIn(response) : []
      // What was pressed meanwhile has shown what came of it.
      if (fresh.length > 0 && url === liveUrl(base, name)) show(fresh)
    } while (again)
  }

  async function refresh(): Promise<void> {
    if (document.hidden) return
    again = true
    asking ??= look().finally(() => {
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
}
