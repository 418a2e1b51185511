/**
 * The script of the admin. Every form works without it. With it, a link signs in, the preview follows the typing, and
 * what others do appears by itself.
 */
import { composer } from './admin/composer.ts'
import { copyButtons } from './admin/copy.ts'
import { keepDraft } from './admin/draft.ts'
import { live, liveHistory } from './admin/live.ts'
import { notePresses } from './admin/pointer.ts'
import { closePopovers } from './admin/popovers.ts'
import { lead, sending } from './admin/send.ts'
import { signIn } from './admin/sign-in.ts'
import { localTimes } from './admin/times.ts'

const base = document.body.dataset.base ?? ''
document.documentElement.dataset.script = ''

// What was done is said once, and not again when the page is loaded again.
if (/[?&]done=/.test(location.search)) history.replaceState(null, '', location.pathname)
notePresses()
localTimes(document)
copyButtons()
closePopovers()
signIn(base)
// A link that is opened in the tab of the page to sign in changes the fragment alone.
addEventListener('hashchange', () => signIn(base))
// The admin stays open beside the page that a bar leads to.
document.addEventListener('click', ({ target }) => {
  const link = (target as Element).closest<HTMLAnchorElement>('.place a')
  if (link) link.target = '_blank'
})
const form = document.querySelector<HTMLFormElement>('[data-compose]')
if (form) {
  keepDraft(form)
  const it = composer(base, form)
  sending(base, live(base, form, it.judge), { form, composer: it })
} else if (document.querySelector('[data-part=history]')) {
  sending(base, liveHistory(base))
} else {
  sending(base, (work) => work())
}
// Whoever pressed a button of the page before goes on where its outcome is, unless a field that is at fault has the focus.
const notice = document.querySelector<HTMLElement>('.notice')
const isFree = document.activeElement === document.body
if (notice && isFree) lead(notice)
// Whoever asked to edit something goes on in its text.
else if (isFree && /[?&](edit|entry|slot)=/.test(location.search)) {
  const text = form?.querySelector<HTMLTextAreaElement>('#text')
  text?.focus()
  text?.setSelectionRange(text.value.length, text.value.length)
}
