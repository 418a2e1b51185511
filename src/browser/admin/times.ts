/** Turns the times of a page, which come in UTC, into the reader's own. The title keeps UTC. */
export function localTimes(root: ParentNode): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
  for (const time of root.querySelectorAll('time')) {
    time.title ||= time.textContent
    time.textContent = format.format(new Date(time.dateTime))
  }
}
