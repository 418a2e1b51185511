import { describe, expect, it } from 'vitest'
import type { Site } from '../../src/http/site.ts'
import { createSite } from '../../src/page/create-site.ts'
import { loadLocales } from '../../src/page/locales.ts'
import { API_SECRET, inMemory } from '../harness.ts'
import { URL_OF_ADMIN, visitorOf } from './visitor.ts'

describe('placard/admin in another host', () => {
  /** The page with the snippets. */
  async function snippets(url: string, site?: Site) {
    const other = inMemory({ site })
    const owner = visitorOf(other.placard, { url })
    await owner.signIn(other)
    const page = await (await owner.get('/admin/site')).text()
    expect(page).toContain(`${url}/api/webhooks`)
    return page
  }

  it('can be mounted behind a prefix that its host removes from paths', async () => {
    const url = 'http://placard.test/shop'
    const shop = visitorOf(inMemory().placard, { url })
    const ask = (path: string, init?: RequestInit) =>
      shop.admin.fetch(new Request(`http://localhost:3000${path}`, init))
    const page = await (await ask('/admin')).text()
    expect(page).not.toContain('"/admin')
    for (const link of ['/admin/session', '/admin/admin-page.js']) {
      expect(page).toContain(`"/shop${link}"`)
    }
    expect(page).toContain(`npx --no -- placard open --url ${url}`)
    expect(await shop.admin.createLink()).toMatch(/^http:\/\/placard\.test\/shop\/admin#/)

    const headers = { 'Sec-Fetch-Site': 'same-origin' }
    const body = new URLSearchParams({ secret: API_SECRET })
    const entered = await ask('/admin/session', { method: 'POST', headers, body })
    expect(entered.headers.get('location')).toBe('/shop/admin')
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] as string
    const site = await (await ask('/admin/site', { headers: { cookie } })).text()
    expect(site).toContain(`curl ${url}/api/events`)
  })

  it('takes the host of its links from the Host header, even if the URL of the request has another', async () => {
    const { admin } = visitorOf(inMemory().placard, {})
    const link = async (host: string) => {
      const headers = { Authorization: `Bearer ${API_SECRET}`, Host: host }
      const init = { method: 'POST', headers }
      const response = await admin.fetch(new Request('https://localhost:3000/admin/links', init))
      return ((await response.json()) as { url: string }).url.split('#')[0]
    }
    expect(await link('placard.test:8080')).toBe('https://placard.test:8080/admin')
    expect(await link('not a host')).toBe('https://localhost:3000/admin')
  })

  it("contract O1: warns if other machines can't reach the address in the snippets", async () => {
    const site = createSite(await loadLocales())
    const says = async (url: string, site?: Site) =>
      (await snippets(url, site)).includes(`Other machines can’t reach ${url}. In the service`)
    for (const host of ['localhost:3000', 'placard.localhost', '127.0.0.1:8080', '[::1]:3000']) {
      expect(await says(`http://${host}`, site), host).toBe(true)
    }
    for (const url of ['https://placard.example', 'http://10.0.0.7:3000']) {
      expect(await says(url, site), url).toBe(false)
    }
    // An app has another setting for this; by default, the address is that of the request.
    expect(await says('http://localhost:3000')).toBe(false)
  })

  it('contract O1: warns of a local address behind a proxy or at another host name, and otherwise only hints', async () => {
    const site = createSite(await loadLocales())
    const looks = async (trustProxy: number, Host = 'localhost:3000') => {
      const mount = inMemory({ site, trustProxy })
      const owner = visitorOf(mount.placard, { url: 'http://localhost:3000' })
      await owner.signIn(mount)
      const page = await (await owner.get('/admin/site', { Host })).text()
      return /<p class="(\w+)">Other machines/.exec(page)?.[1]
    }
    expect(await looks(0)).toBe('hint')
    expect(await looks(0, 'notices.example')).toBe('warning')
    expect(await looks(1)).toBe('warning')
  })

  it('shows no script tag if the service has no script', async () => {
    expect(await snippets(URL_OF_ADMIN)).not.toContain('embed.js')
    expect(await snippets(URL_OF_ADMIN, createSite(await loadLocales()))).toContain('embed.js')
  })
})
