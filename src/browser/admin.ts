/**
 * The script of the admin. Every form works without it. With it, a link signs in, the preview follows the typing, and
 * what others do appears by itself.
 */
import { composer } from './admin/composer.ts'
import { copyButtons } from './admin/copy.ts'
import { live } from './admin/live.ts'
import { signIn } from './admin/sign-in.ts'
import { localTimes } from './admin/times.ts'

const base = document.body.dataset.base ?? ''
document.documentElement.dataset.script = ''

localTimes(document)
copyButtons()
if (location.hash.length > 1 || document.querySelector('[data-sign-in]')) signIn(base)
const form = document.querySelector<HTMLFormElement>('[data-compose]')
if (form) {
  composer(base, form)
  live(base, form)
}
