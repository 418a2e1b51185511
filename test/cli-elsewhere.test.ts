import { beforeAll, describe, expect, it } from 'vitest'
import { build, start } from './command-line.ts'
import { site } from './site.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

const SECRETS = {
  EVENT_API_SECRET: 'api-secret-0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
}

const placard = (args: string[], environment: Record<string, string> = SECRETS) =>
  start(temporaryDirectory(), environment, args).finished

describe('a command whose --url is not the service', () => {
  it.each([
    ['publish', 'Some text'],
    ['withdraw', '--type', 'post'],
    ['simulate', 'coupon.created'],
  ])('contract A12, A13, W2: %s says where it was redirected to, exit code 1', async (...args) => {
    const anything = {
      message: 'Done.',
      ok: true,
      deleted: 1,
      received: true,
      outcome: 'published',
    }
    const target = await site(200, { 'Placard-Event-Id': 'x' }, JSON.stringify(anything))
    const from = await site(302, { Location: `${target.url}/moved` }, '')
    const { code, stdout, stderr } = await placard([...args, '--url', from.url])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^placard: [^\n]*--url\n$/)
    expect(stderr).toContain(`${target.url}/moved`)
    expect(target.asked).toEqual([])
  })
})
