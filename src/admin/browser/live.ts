import { apply, ask, isAway, isSignedOut, type Reply, unsay } from './requests.ts'

/** A page in view sends a request this often, so that changes by others show within 1 s (contract R3). */
const ASK_EVERY_MS = 900

/** The wait between requests while signed out, in multiples of `ASK_EVERY_MS`. Returning to the tab ends the wait. */
const SIGNED_OUT_TURNS = 5
/** The longest wait while the service doesn't respond, in multiples of `ASK_EVERY_MS`: about a minute. */
const LONGEST_TURNS = 64

/**
 * Keeps the published and scheduled announcements current.
 *
 * @param judge updates the outcome of the draft, which includes conflicts with other people's changes (contract A17)
 */
export function live(judge: () => void): void {
  const slider = () => document.querySelector<HTMLInputElement>('#at')

  keepCurrent('now', (answer) => {
    const { value, defaultValue } = slider() ?? {}
    apply(answer)
    // The announcements have changed, so the result of the last action may be out of date.
    unsay(({ dataset }) => dataset.kind === 'done' && !dataset.key)
    judge()
    const moved = slider()
    // If somebody has moved the slider, for example to Friday, it stays there after the refresh.
    if (moved && value !== undefined && value !== defaultValue) {
      moved.value = value
      look(moved)
    }
  })

  document.addEventListener('input', ({ target }) => {
    const at = slider()
    if (at && target === at) look(at)
  })
}

/** Shows what visitors will see at the slider's time. */
function look(slider: HTMLInputElement) {
  // The slider starts at a whole minute or hour, which may be in the past.
  const then = new Date(Math.max(Number(slider.value), Date.now()))
  const format: Intl.DateTimeFormatOptions = JSON.parse(slider.dataset.format ?? '{}')
  const written = then.toLocaleString(slider.lang, format)
  // Without `ariaValueText`, screen readers would read out milliseconds.
  slider.ariaValueText = written
  const time = document.querySelector('.ahead time') as HTMLTimeElement
  time.textContent = written
  time.title = `${then.toLocaleString(slider.lang, { ...format, timeZone: 'UTC' })} UTC`
  time.dateTime = then.toISOString()
  const places = [...document.querySelectorAll<HTMLElement>('.ahead .place')]
  const shown = places.findLast(({ dataset }) => Number(dataset.from) <= +then) ?? places[0]
  for (const place of places) place.hidden = place !== shown
}

/** Keeps requesting a part of the page, and passes the part to `show` when it has changed. */
export function keepCurrent(part: string, show: (answer: Reply) => unknown): void {
  const state = () => document.querySelector<HTMLElement>(`[data-part=${part}]`)?.dataset.state
  let asking = false

  async function refresh(): Promise<void> {
    if (asking || document.hidden) return
    asking = true
    const known = state()
    const answer = await ask(`/live?${part}=${encodeURIComponent(known ?? '')}`)
    // If a button press has changed the part in the meantime, the page already shows the result.
    if (answer.ok && answer.parts.length > 0 && known === state()) show(answer)
    asking = false
  }

  addEventListener('focus', refresh)
  let turn = 0
  let every = 1
  setInterval(() => {
    // While the service doesn't answer, each wait is twice the last, because browsers log each failed attempt.
    if (++turn % every !== 0 || (isSignedOut() && turn % SIGNED_OUT_TURNS !== 0)) return
    every = isAway() ? Math.min(every * 2, LONGEST_TURNS) : 1
    refresh()
  }, ASK_EVERY_MS)
}
