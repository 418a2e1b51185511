import { beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../src/cli/doctor/diagnose.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { bar, body, ELEMENT, PAGES, type Page, strict, tag } from './faults/pages.ts'
import { announce, behind, front, PACE, type Patient, patient, SECRETS } from './stage.ts'

/** Where a program of others has its own `/embed.js`. */
async function stranger(): Promise<string> {
  const { url } = await front({
    own: (path) =>
      path === '/embed.js' ? { type: 'text/javascript', body: '' } : { status: 404, body: 'None' },
  })
  return url
}

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

  /** What the doctor says of a page. */
  async function said(
    served: Patient,
    { html, never, status, headers, files = {} }: Page,
  ): Promise<Finding> {
    const { url } = await front({
      own: (path) =>
        never !== 'starts' && {
          status: status ?? 200,
          type: path.endsWith('.css') ? 'text/css' : 'text/html; charset=utf-8',
          headers: headers ?? {},
          body: files[path] ?? html,
          isEndless: never === 'ends',
        },
    })
    const sites = [`${url}/`]
    const pace = never ? 1 : PACE
    const findings = await diagnose({ ...served, sites, settleMs: 0, pace })
    const [finding, ...more] = findings.filter(({ check }) => check === 'site')
    expect(more).toEqual([])
    expect(finding?.site).toBe(sites[0])
    return finding as Finding
  }

  describe.concurrent('contract R12: the doctor says what is wrong with a page', () => {
    it.for(PAGES.map((it) => [it.name, it] as const))('%s', async ([, faulty], { expect }) => {
      const {
        page,
        finds: [status, message],
      } = faulty
      const finding = await said(served, await page({ here, other }))
      expect(finding).toMatchObject({ status, message: expect.stringMatching(message) })
      expect(finding.mend).toMatch(/^[A-Z]/)
    })
  })

  describe('contract R12: the doctor finds nothing wrong with a page that has the bar', () => {
    it.each([
      ['by the tag alone', () => ({ html: body(tag(here)) })],
      [
        'by element and tag, under the policy of docs/embed.md',
        () => ({
          html: body(`<header hidden>x</header><p>${ELEMENT}${tag(here)}`),
          headers: { 'Content-Security-Policy': strict(here) },
        }),
      ],
      [
        'by a tag with a nonce',
        () => ({
          html: body(tag(here, 'nonce="abc"')),
          headers: { 'Content-Security-Policy': "script-src 'nonce-abc' 'strict-dynamic'" },
        }),
      ],
      ['that never ends', () => ({ html: body(ELEMENT + tag(here)), never: 'ends' })],
      [
        'before a hundred thousand elements that nothing closes',
        () => ({ html: body(ELEMENT + tag(here) + '<b></i>'.repeat(100_000)) }),
      ],
      [
        'beside a script of another program that is called embed.js as well',
        async () => ({ html: body(ELEMENT + tag(here) + tag(await stranger())) }),
      ],
    ] as [string, () => Page | Promise<Page>][])('%s', async (_, page) => {
      expect(await said(served, await page())).toMatchObject({
        status: 'pass',
        message: expect.stringContaining('loads the bar of this service'),
      })
    })

    it.each([
      ['React', async () => body(bar(TEXT))],
      [
        'React, beside such a script of others',
        async () => body(bar(TEXT) + tag(await stranger())),
      ],
      ['the service itself', async () => (await fetch(`${here}/`)).text()],
    ])('but judges no bar that is rendered by %s', async (_, html) => {
      expect(await said(served, { html: await html() })).toMatchObject({
        status: 'skip',
        message: expect.stringContaining('renders the bar itself'),
      })
    })

    it('through its public address, by another name than the one that was asked', async () => {
      const proxy = await front()
      const own = await behind(proxy)
      const { url } = await front({
        own: () => ({ type: 'text/html', body: body(ELEMENT + tag(proxy.url)) }),
      })
      const findings = await diagnose({ ...own, sites: [url], pace: PACE })
      expect(findings.filter(({ mend }) => mend !== undefined)).toEqual([])
    })
  })
})

it('contract R12: a page that does not come in time has nothing looked at again, so the doctor ends in time', async () => {
  const [slow, proxy] = [await front({ own: () => false }), await front()]
  await diagnose({ ...(await behind(proxy)), sites: [slow.url] })
  expect(slow.received).toHaveLength(1)
  expect(proxy.received.filter((line) => line.startsWith('GET /api/events?doctor='))).toHaveLength(
    1,
  )
})
