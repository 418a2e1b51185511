/**
 * Redeems the code of a link. The code is in the fragment, so servers don't see it, and is removed from the address at
 * once, so the browser's history doesn't keep it (contract O1).
 */
export async function signIn(base: string): Promise<void> {
  const code = location.hash.slice(1)
  const isSignIn = document.querySelector('[data-sign-in]') !== null
  // Any other fragment is a link within the page.
  if (/^[\w-]{22}$/.test(code)) {
    history.replaceState(null, '', location.pathname)
    const busy = document.querySelector<HTMLElement>('.busy')
    if (busy) busy.hidden = false
    // A form, because browsers then show any answer as a page.
    const form = Object.assign(document.createElement('form'), {
      method: 'post',
      action: `${base}/session`,
    })
    const field = { type: 'hidden', name: 'code', value: code }
    form.append(Object.assign(document.createElement('input'), field))
    document.body.append(form)
    form.submit()
    return
  }
  // A link from another site arrives without the cookie (SameSite=Strict). A request of our own page has it.
  if (!isSignIn || document.querySelector('.notice:not([hidden])')) return
  const { status } = await fetch(`${base}/live`, { headers: { Accept: 'application/json' } })
  if (status === 200) location.reload()
}
