/** The script of the admin: it signs in by a link, keeps the preview and the lists current, and sends every form. */
import { composer } from './admin/composer.ts'
import { live, liveHistory } from './admin/live.ts'
import { copyButtons, looks } from './admin/looks.ts'
import { say } from './admin/notice.ts'
import { notePresses } from './admin/parts.ts'
import { restoreDraft, sending } from './admin/send.ts'
import { askName, keepZone, signIn } from './admin/sign-in.ts'

const base = document.body.dataset.base ?? ''

// A reload shouldn't repeat the notice.
if (/[?&]done=/.test(location.search)) history.replaceState(null, '', location.pathname)
notePresses()
copyButtons()
askName(base)
keepZone(base)
looks()
signIn(base)
// A link that is opened in the tab of the sign-in page only changes the fragment.
addEventListener('hashchange', () => signIn(base))
// The page that a bar leads to opens beside the admin.
document.addEventListener('click', ({ target }) => {
  const link = (target as Element).closest<HTMLAnchorElement>('.place a')
  if (link) link.target = '_blank'
})
const form = document.querySelector<HTMLFormElement>('[data-compose]')
if (form) {
  const it = composer(base, form)
  live(base, it.judge)
  sending(base, form, it)
  restoreDraft(base, form, it).then((isRestored) => isRestored && say('kept'))
  // An editor who pressed *Edit* continues in the text.
  if (document.activeElement === document.body && /[?&](edit|copy|entry)=/.test(location.search)) {
    const text = form.querySelector<HTMLTextAreaElement>('#text')
    text?.focus()
    text?.setSelectionRange(text.value.length, text.value.length)
  }
} else {
  if (document.querySelector('[data-part=history]')) liveHistory(base)
  sending(base)
}
