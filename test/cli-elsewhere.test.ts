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

  it('contract W2, R1: an answer that is not as promised is exit code 1', async () => {
    const other = await site(200, {}, JSON.stringify({ status: 'fine' }))
    for (const args of [['publish', 'Some text'], ['current'], ['simulate', 'coupon.created']]) {
      const { code, stdout, stderr } = await placard([...args, '--url', other.url])
      expect({ code, stdout }, args[0]).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^placard: [^\n]* but not as Placard does[^\n]*--url\n$/)
    }
  })
})

describe('settings that a command does not use', () => {
  const faulty = { DATABASE_URL: 'mysql://x', MAX_STREAMS: 'many', LOG_LEVEL: 'loudly' }

  it('contract Settings: do not stop it', async () => {
    const answer = { event: null, ok: true, message: 'Done.', deleted: 1 }
    const { url } = await site(200, {}, JSON.stringify(answer))
    const all = { ...faulty, PORT: 'seventy', EVENT_API_SECRET: 'x', STRIPE_WEBHOOK_SECRET: 'x' }
    expect(await placard(['current', '--url', url], all)).toMatchObject({ code: 0, stderr: '' })
    const writes = { ...all, EVENT_API_SECRET: SECRETS.EVENT_API_SECRET }
    const withdraw = ['withdraw', '--type', 'post', '--url', url]
    expect(await placard(withdraw, writes)).toMatchObject({ code: 0, stderr: '' })
    const { port } = new URL(url)
    const current = await placard(['current'], { ...all, PORT: port })
    expect(current).toMatchObject({ code: 0, stderr: '' })
  })

  it('contract Settings: faults in those that it uses are named, and no others', async () => {
    const { code, stderr } = await placard(['current'], { ...faulty, PORT: 'seventy' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^placard: The settings need attention:\n {2}PORT [^\n]*\n$/)
  })
})
