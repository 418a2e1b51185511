/** The admin's script: signs the user in from a link, keeps the preview and the lists current, and submits forms. */
import { composer } from './composer.ts'
import { keepCurrent, live } from './live.ts'
import { apply, notePresses, say } from './requests.ts'
import { restoreDraft, sending } from './send.ts'
import { askName, keepLanguage, keepZone, signIn } from './sign-in-form.ts'
import { copyButtons, looks } from './site-form.ts'

notePresses()
copyButtons()
askName()
keepZone()
keepLanguage()
looks()
signIn()
// In a tab that already shows the sign-in page, opening a sign-in link changes only the fragment and reloads nothing.
addEventListener('hashchange', signIn)
// A bar's link opens in a new tab, so that the admin stays open.
document.addEventListener('click', ({ target }) => {
  const link = (target as Element).closest<HTMLAnchorElement>('.place a')
  if (link) link.target = '_blank'
})
const form = document.querySelector<HTMLFormElement>('[data-compose]')
if (form) {
  const it = composer(form)
  live(() => it.preview('?unasked'))
  sending(form, it)
  restoreDraft(form, it).then((isRestored) => isRestored && say('kept'))
  // Focuses the text, with the caret at its end, so that the author can start or continue typing.
  if (document.activeElement === document.body) {
    const text = form.querySelector('#text') as HTMLTextAreaElement
    text.focus({ preventScroll: true })
    text.setSelectionRange(text.value.length, text.value.length)
  }
} else {
  if (document.querySelector('[data-part=history]')) keepCurrent('history', apply)
  sending()
}
