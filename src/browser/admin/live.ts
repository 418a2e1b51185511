import { follow } from '../follow.ts'
import { isSignedOut } from './draft.ts'
import { unsay } from './notice.ts'
import { ask, isAway, liveUrl, partsIn, renew } from './parts.ts'

/**
 * The stream only tells what shows. Scheduled and waiting announcements aren't on it, so a page in view requests them, as
 * often as a page may be late.
 */
const ASK_EVERY_MS = 1_000

/** People mostly sign in again in another tab, then return to this one. */
const SIGNED_OUT_TURNS = 5
/** As the service writes times. */
const WRITTEN = {
  ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const),
  ...({ hour: 'numeric', minute: '2-digit' } as const),
}
/** About a minute. */
const LONGEST_TURNS = 64

/**
 * Keeps the published and scheduled announcements current.
 *
 * @param judge updates the outcome of the draft, which tells what changed under it (contract A17)
 */
export function live(base: string, judge: () => void): void {
  const slider = () => document.querySelector<HTMLInputElement>('#at')

  keepCurrent(base, 'now', (parts) => {
    const { value, defaultValue } = slider() ?? {}
    for (const part of parts) renew(part)
    // Somebody else made a change, so the result of the last action may no longer be true.
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

  /** Milliseconds mean nothing to a listener, so screen readers get the slider's time. */
  function tell(time = document.querySelector('[data-part=ahead] time')?.textContent ?? '') {
    const at = slider()
    if (at) at.ariaValueText = time
  }

  /** Requests what shows at the slider's time. */
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
    const then = new Date(Math.max(Number(at.value), Date.now()))
    tell(then.toLocaleString(document.documentElement.lang, WRITTEN))
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

/** Polls whenever something changes, and passes on new parts. */
function keepCurrent(base: string, name: string, show: (fresh: HTMLElement[]) => void) {
  let asking: Promise<void> | undefined
  /** Whether a change was announced while an answer was on its way, which may not include it. */
  let again = false

  async function look() {
    do {
      again = false
      const url = liveUrl(base, name)
      const response = await ask(url)
      const fresh = response?.status === 200 ? await partsIn(response) : []
      // A press meanwhile has already shown its result.
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
    // While there are no answers, each wait is twice the last, because each attempt is a line in the console.
    if (++turn % every !== 0 || (isSignedOut() && turn % SIGNED_OUT_TURNS !== 0)) return
    every = isAway() ? Math.min(every * 2, LONGEST_TURNS) : 1
    refresh()
  }, ASK_EVERY_MS)
}
