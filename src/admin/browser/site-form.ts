import { apply, ask, say } from './requests.ts'
import { setCookie } from './sign-in-form.ts'

export function looks(): void {
  const form = document.querySelector<HTMLFormElement>('[data-looks]')
  if (!form) return
  let latest = 0
  const color = () => {
    // Sets styles by script, because the page's Content-Security-Policy forbids style attributes in its HTML.
    for (const one of document.querySelectorAll<HTMLElement>('[data-style]')) {
      one.style.cssText = one.dataset.style ?? ''
    }
  }
  color()
  form.addEventListener('input', async () => {
    const turn = ++latest
    // Stores the settings in a cookie, because the composer's preview uses them too.
    setCookie('site', String(new URLSearchParams(new FormData(form) as never)))
    const answer = await ask('/looked')
    if (turn !== latest) return
    if (!answer.ok) say('away')
    apply(answer)
    color()
  })
}

export function copyButtons(): void {
  const said = document.querySelector('.said')
  document.addEventListener('click', async ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('[data-copied]')
    const code = button?.parentElement?.querySelector('code')
    if (!button || !code) return
    try {
      await navigator.clipboard.writeText(code.textContent)
    } catch {
      // Copying needs permission and a secure context. If it fails, the code is selected for copying by keyboard.
      getSelection()?.selectAllChildren(code)
      return
    }
    const { copied = '' } = button.dataset
    const label = button.textContent
    if (label === copied) return
    button.textContent = copied
    if (said) said.textContent = copied
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}
