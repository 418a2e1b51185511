/** Turns the times of a page, which come in UTC, into the reader's own. The title keeps UTC. */
export function localTimes(root: ParentNode): void {
  const { lang } = document.documentElement
  const { hour12 } = new Intl.DateTimeFormat(lang, { hour: 'numeric' }).resolvedOptions()
  const format = new Intl.DateTimeFormat(lang, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: hour12 ? 'numeric' : '2-digit',
    minute: '2-digit',
  })
  for (const time of root.querySelectorAll('time')) {
    time.title ||= time.textContent
    time.textContent = format.format(new Date(time.dateTime))
  }
}
