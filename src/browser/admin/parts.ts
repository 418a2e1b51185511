/** Asks the admin for a part of a page. `null` if there is nothing new, or no answer. */
export async function part(url: string, init: RequestInit = {}): Promise<Element | null> {
  try {
    const response = await fetch(url, {
      ...init,
      headers: { Accept: 'application/json', ...init.headers },
    })
    // Whoever is signed out has to know before they type on.
    if (response.status === 401) location.reload()
    if (response.status !== 200) return null
    const html = new DOMParser().parseFromString(await response.text(), 'text/html')
    return html.body.firstElementChild
  } catch {
    return null
  }
}
