import { beforeAll, describe, expect, it } from 'vitest'
import { publish } from './harness.ts'
import { type Running, running } from './running.ts'

let mount: Running
beforeAll(async () => {
  mount = await running()
  await publish(mount)
})

/** With a query, the Node server hands a read to the router instead of responding from memory. */
const ROUTED = '?routed'

describe.each([
  '/api/events',
  `/api/events${ROUTED}`,
  '/',
  `/${ROUTED}`,
  '/embed.json',
  '/embed.js',
  '/placard.css',
])('contract R2: a request for %s with If-None-Match', (path) => {
  const get = (headers: Record<string, string> = {}) => mount.fetch(path, { headers })
  const tagIn = async (encoding: string) =>
    String((await get({ 'Accept-Encoding': encoding })).headers.get('etag'))

  it('gets 304 for the current ETag, strong or weak, alone or in a list, in either encoding, and for *', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const tag = await tagIn(encoding)
      const others = [`W/${tag}`, `"x", ${tag}`, `"x",W/"y" ,W/${tag}`, '*', ' * ']
      for (const [value, accepted] of [
        [tag, 'identity'],
        [tag, 'gzip'],
        ...others.map((one) => [one, encoding] as const),
      ] as const) {
        const response = await get({ 'Accept-Encoding': accepted, 'If-None-Match': value })
        expect(response.status, value).toBe(304)
        expect(response.headers.get('etag')).toBe(tag)
        expect(response.headers.has('cache-control')).toBe(true)
        for (const name of ['type', 'length', 'encoding', 'language']) {
          expect(response.headers.has(`content-${name}`), name).toBe(false)
        }
        expect(await response.text()).toBe('')
      }
    }
  })

  it('gets 200 for any other ETag', async () => {
    const tag = await tagIn('identity')
    for (const value of ['"x"', 'W/"x"', tag.slice(1, -1), `"${tag}"`, '"*"', `"x${tag}`, '""']) {
      const response = await get({ 'If-None-Match': value })
      expect(response.status, value).toBe(200)
      expect((await response.text()).length).toBeGreaterThan(0)
    }
  })
})

it.each([
  ['gzip', true],
  ['GZIP;q=0.1', true],
  ['br, *', true],
  ['gzip;q=0', false],
  ['gzip; Q=0.000', false],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['x-gzip-not', false],
  ['identity', false],
  ['', false],
])('a request with Accept-Encoding: %j accepts gzip: %s', async (accepted, zipped) => {
  for (const path of ['/', `/${ROUTED}`, '/embed.json']) {
    const { headers } = await mount.fetch(path, { headers: { 'Accept-Encoding': accepted } })
    expect(headers.get('content-encoding')).toBe(zipped ? 'gzip' : null)
  }
})
