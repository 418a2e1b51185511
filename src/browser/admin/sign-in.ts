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
    post(`${base}/session`, { code })
    return
  }
  // A link from another site arrives without the cookie (SameSite=Strict). A request of our own page has it.
  if (!isSignIn || document.querySelector('.notice:not([hidden])')) return
  const { status } = await fetch(`${base}/live`, { headers: { Accept: 'application/json' } })
  if (status === 200) location.reload()
}

/** Sends a form, because browsers then show any answer as a page. */
function post(action: string, fields: Record<string, string>) {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input')
    input.type = 'hidden'
    input.name = name
    input.value = value
    form.append(input)
  }
  document.body.append(form)
  form.submit()
}
