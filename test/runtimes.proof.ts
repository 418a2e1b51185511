import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'tsdown'
import { beforeAll, describe, expect, it } from 'vitest'
import type * as Core from '../src/entries/index.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { ROOT } from './command-line.ts'
import { serve } from './e2e/serve.ts'
import { coupon, DRAFT, httpMount, type Mount, notify, publish, SECRETS } from './harness.ts'
import { temporaryDirectory } from './stores.ts'
import { apiSuite, rateLimitSuite } from './suites/api.ts'

/** One of the examples, served as its first line says. */
async function example(name: string): Promise<Mount> {
  const DATABASE = join(temporaryDirectory(), 'placard.db')
  const settings = { ...SECRETS, DATABASE, TRUST_PROXY: '1' }
  const { url, end } = await serve(ROOT, settings, { args: [`examples/${name}/server.mjs`] })
  return { ...httpMount(url), close: end }
}

for (const name of ['hono', 'node-http']) {
  apiSuite(`examples/${name}`, () => example(name))
  rateLimitSuite(`examples/${name}`, () => example(name))
}

describe('the core on a runtime other than Node', () => {
  let code = ''
  let modules: string[] = []
  beforeAll(async () => {
    const [bundle] = await build({
      config: false,
      entry: { index: join(ROOT, 'src/entries/index.ts') },
      format: 'iife',
      globalName: 'core',
      platform: 'browser',
      deps: { alwaysBundle: [/.*/], onlyBundle: false },
      inputOptions: { resolve: { conditionNames: ['workerd', 'worker', 'import', 'default'] } },
      write: false,
      clean: false,
      dts: false,
      logLevel: 'silent',
    })
    const [chunk, ...others] = bundle?.chunks ?? []
    if (chunk?.type !== 'chunk') throw new Error('There is no bundle')
    code = chunk.code
    modules = chunk.moduleIds
    expect(chunk.imports).toEqual([])
    expect(others).toEqual([])
  })

  it('needs nothing from Node, and loads neither React nor a database driver', () => {
    expect(modules.length).toBeGreaterThan(20)
    expect(modules.join('\n')).not.toMatch(
      /node_modules\/(react|pg|pino|@hono|@iconify-json)[/-]|^node:/m,
    )
    expect(code).not.toMatch(/(from|import|require)\s*\(?\s*["'](node:|fs|http|crypto|stream)/)
  })

  it('serves reads, writes and notifications with web standards alone', async () => {
    const globals = createContext({
      ...{
        AbortController,
        Blob,
        ByteLengthQueuingStrategy,
        Event,
        EventTarget,
        Headers,
        ReadableStream,
        Request,
      },
      ...{ Response, TextDecoder, TextEncoder, URL, URLSearchParams, crypto, performance },
      ...{ clearInterval, clearTimeout, setInterval, setTimeout, queueMicrotask },
    })
    const { createPlacard }: typeof Core = runInContext(`${code};core`, globals)
    const given = httpMount('http://worker.test')
    const placard = createPlacard({
      // On such a runtime, the app brings a store of its own.
      store: sqliteStore(':memory:'),
      apiSecret: given.apiSecret,
      stripeWebhookSecret: given.stripeSecret,
    })
    const mount: Mount = {
      ...given,
      fetch: (path, init) => placard.fetch(new Request(`http://worker.test${path}`, init)),
      close: placard.close,
    }
    expect((await publish(mount)).status).toBe(201)
    expect((await (await mount.fetch('/api/events')).json()).event).toMatchObject(DRAFT)
    const answer = await notify(mount, coupon('created', { name: 'Black Friday' }))
    expect(await answer.json()).toEqual({ received: true, outcome: 'published' })
    expect((await (await mount.fetch('/api/events')).json()).event.text).toBe('Black Friday')
    expect((await publish(mount, DRAFT, { Authorization: 'Bearer wrong' })).status).toBe(401)
    await mount.close()
  })
})
