import { regional } from '../../core/language.ts'

let format: Intl.DateTimeFormat | undefined

/** An instant in the reader's zone, in the format of their region and the language of the page. */
export function localTime(at: Date): string {
  if (!format) {
    const lang = regional(document.documentElement.lang, navigator.languages)
    const { hour12 } = new Intl.DateTimeFormat(lang, { hour: 'numeric' }).resolvedOptions()
    format = new Intl.DateTimeFormat(lang, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: hour12 ? 'numeric' : '2-digit',
      minute: '2-digit',
    })
  }
  return format.format(at)
}

/** Converts the times of a page from UTC to the reader's own. The title keeps UTC. */
export function localTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll('time')) {
    time.title ||= time.textContent
    time.textContent = localTime(new Date(time.dateTime))
  }
}
