import { beforeAll, expect, it } from 'vitest'
import { AT_TERMINAL, build, serving } from './command-line.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

/** What a start in a terminal prints, and where it listens. */
async function welcome(environment: Record<string, string>) {
  const options = { runner: AT_TERMINAL }
  const { child, finished, url } = await serving(temporaryDirectory(), environment, options)
  child.kill()
  return { text: (await finished).stdout, url }
}

it('contract Settings: a start prints addresses and a command that reach this very service', async () => {
  const { text, url } = await welcome({ PORT: '0' })
  expect(url).toMatch(/^http:\/\/localhost:\d+$/)
  for (const path of ['/', '/api/events', '/api/webhooks'])
    expect(text).toContain(` ${url}${path}\n`)
  expect(text).toMatch(new RegExp(`npx placard simulate coupon.created .* --url ${url}\n`))
  expect(text).toContain('data/event-api-secret')
})

it('contract Settings: where PUBLIC_URL says how people reach it, they name that', async () => {
  const { text, url } = await welcome({
    PORT: '0',
    PUBLIC_URL: 'https://notices.example/',
    PUBLIC_PAGE: 'off',
  })
  expect(text).toContain(`Placard is up at ${url}\n`)
  expect(text).toContain(' https://notices.example/api/webhooks\n')
  expect(text).toContain(' --url https://notices.example\n')
  // There is no page.
  expect(text).not.toContain(' https://notices.example/\n')
})
