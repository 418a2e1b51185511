import { describe, expect, it } from 'vitest'
import { afterTest } from '../after-file.ts'
import { askedBy, listen, ROOM, SAMPLES, shows, stageForFile, warningsOf } from './stage.ts'

const stage = stageForFile()
const { post } = SAMPLES

describe("a script that can't see its own tag", () => {
  it.each([
    [
      'a module',
      () => `<script type="module" src="${stage.origin}/embed.js" data-dismissible></script>`,
    ],
    ['an import', () => `<script type="module">import('${stage.origin}/embed.js')</script>`],
    [
      'a loader that evaluates it',
      () => `<script>fetch('${stage.origin}/embed.js').then((it) => it.text()).then(eval)</script>`,
    ],
    [
      'a loader that inserts it as text',
      () =>
        `<script>fetch('${stage.origin}/embed.js').then((it) => it.text()).then((text) => document.head.append(Object.assign(document.createElement('script'), { text })))</script>`,
    ],
    [
      'a module beside an embed.js of another service',
      () =>
        `<script src="${stage.hostOrigin}/embed.js"></script><script type="module" src="${stage.origin}/embed.js"></script>`,
    ],
  ])("finds its service by the script's address: %s", async (_, tag) => {
    await stage.placard.publish(post)
    const page = await stage.page()
    const said = warningsOf(page)
    await page.goto(stage.host(ROOM + tag()))
    await shows(page, post.text)
    expect(said).toEqual([])
  })

  it('warns in the console if nothing on the page names its service', async () => {
    const page = await stage.page()
    const said = warningsOf(page)
    await page.goto(stage.host(ROOM))
    await page.addScriptTag({ content: await (await fetch(`${stage.origin}/embed.js`)).text() })
    expect(said).toEqual([expect.stringContaining('no script')])
  })

  it('warns in the console only once if the site serves a copy of the script', async () => {
    await stage.placard.publish(post)
    const copy = await (await fetch(`${stage.origin}/embed.js`)).text()
    const site = await listen(({ url }) =>
      url.endsWith('/bar.js')
        ? new Response(copy, { headers: { 'content-type': 'text/javascript' } })
        : new Response(`${ROOM + ROOM}<script src="/bar.js"></script>`, {
            headers: { 'content-type': 'text/html' },
            status: url.endsWith('/') ? 200 : 404,
          }),
    )
    afterTest(site.close)
    const page = await stage.page()
    const said = warningsOf(page)
    const asked = askedBy(page, /embed\.json/)
    await page.goto(site.url)
    await expect.poll(() => asked.length).toBeGreaterThan(1)
    await expect.poll(() => said).toEqual([expect.stringContaining('a copy needs')])
    expect(await page.locator('placard-link .placard').count()).toBe(0)
  })
})
