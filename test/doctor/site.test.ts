import { beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../src/cli/doctor/diagnose.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { SECRETS } from '../harness.ts'
import { bar, body, ELEMENT, PAGES, type Page, strict, tag, under } from './faults/pages.ts'
import { announce, behind, front, PACE, type Patient, patient } from './stage.ts'

/** Starts another program that also serves an `/embed.js`. */
async function stranger(): Promise<string> {
  const embed = { type: 'text/javascript', body: '' }
  const none = { status: 404, body: 'None' }
  return (await front((path) => (path === '/embed.js' ? embed : none))).url
}

/** An address at which nothing listens. */
const NOBODY = 'http://127.0.0.1:1'

const TEXT = 'On every page of “ours” & theirs'

describe('with --site', () => {
  let served: Patient
  let here: string
  let other: string
  beforeAll(async () => {
    served = await patient(SECRETS)
    here = served.address
    other = (await patient()).address
    await announce(served, TEXT)
  })

  /** The doctor's finding for a page. */
  async function said(given: Page | string): Promise<Finding> {
    const one: Page = typeof given === 'string' ? { html: given } : given
    const { html, never, status = 200, headers = {} } = one
    const type = 'text/html; charset=utf-8'
    const page = { status, type, headers, body: html, isEndless: never === 'ends' }
    const { url } = await front(() => never !== 'starts' && page)
    const sites = [`${url}/`]
    const pace = never ? 1 : PACE
    const findings = await diagnose({ ...served, sites, settleMs: 0, pace })
    const [finding, ...more] = findings.filter(({ check }) => check === 'site')
    expect(more).toEqual([])
    expect(finding?.site).toBe(sites[0])
    return finding as Finding
  }

  describe.concurrent('contract R12: the doctor says what is wrong with a page', () => {
    it.for(Object.entries(PAGES))('%s', async ([, [page, expected]], { expect }) => {
      const { status, message, fix } = await said(page(here, other))
      expect(`${status} ${message}`).toMatch(expected)
      expect(fix).toMatch(/^[A-Z]/)
    })
  })

  const WELL: Record<string, () => Page | string | Promise<string>> = {
    'with the tag alone': () => body(tag(here)),
    'with element and tag, under the policy of docs/embed.md': () => ({
      html: body(`<header hidden>x</header><p>${ELEMENT}${tag(here)}`),
      headers: under(strict(here)),
    }),
    'with a module tag': () => body(tag(here, 'type="module"')),
    'with a nonce on the tag': () => ({
      html: body(tag(here, 'nonce="abc"')),
      headers: under("script-src 'nonce-abc' 'strict-dynamic'"),
    }),
    'that never ends': () => ({ html: body(ELEMENT + tag(here)), never: 'ends' }),
    'with the tag before 100,000 unclosed elements': () =>
      body(ELEMENT + tag(here) + '<b></i>'.repeat(100_000)),
    "with another program's script that is also called embed.js": async () =>
      body(ELEMENT + tag(here) + tag(await stranger())),
  }
  it.each(Object.entries(WELL))(
    'contract R12: the doctor finds nothing wrong with a page %s',
    async (_, page) => {
      const message = expect.stringContaining('loads the bar of this service')
      expect(await said(await page())).toMatchObject({ status: 'pass', message })
    },
  )

  it.each([
    ['React', async () => body(bar(TEXT))],
    [
      "React, beside another program's embed.js",
      async () => body(bar(TEXT) + tag(await stranger())),
    ],
    ["React, beside an embed.js that doesn't answer", async () => body(bar(TEXT) + tag(NOBODY))],
    ['the service itself', async () => (await fetch(`${here}/`)).text()],
  ])("contract R12: the doctor doesn't judge a bar rendered by %s", async (_, html) => {
    const message = expect.stringContaining('renders the bar itself')
    expect(await said(await html())).toMatchObject({ status: 'skip', message })
  })

  it('contract R12: the doctor accepts a page that loads the bar from PUBLIC_URL', async () => {
    const proxy = await front()
    const own = await behind(proxy)
    const page = { type: 'text/html', body: body(ELEMENT + tag(proxy.url)) }
    const { url } = await front(() => page)
    const findings = await diagnose({ ...own, sites: [url], pace: PACE })
    expect(findings.filter(({ fix }) => fix !== undefined)).toEqual([])
  })
})

it("contract R12: the doctor repeats no check after a page that didn't arrive, so it ends in time", async () => {
  const [slow, proxy] = [await front(() => false), await front()]
  await diagnose({ ...(await behind(proxy)), sites: [slow.url] })
  expect(slow.received).toHaveLength(1)
  const looks = proxy.received.filter((line) => line.startsWith('GET /api/events?doctor='))
  expect(looks).toHaveLength(1)
})
