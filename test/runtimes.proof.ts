import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'tsdown'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Announcement } from '../src/core/announcement.ts'
import type * as Core from '../src/entries/index.ts'
import { freePort } from './free-port.ts'
import {
  API_SECRET,
  coupon,
  DRAFT,
  httpMount,
  type Mount,
  notify,
  publish,
  SECRETS,
  STRIPE_SECRET,
} from './harness.ts'
import { temporaryDirectory } from './stores.ts'
import { apiSuite } from './suites/api.ts'
import { rateLimitSuite } from './suites/rate-limit.ts'

/** One of the examples, served as its first line says. */
async function example(name: string): Promise<Mount> {
  const port = await freePort()
  const child = spawn('node', [join(import.meta.dirname, '../examples', name, 'server.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      PORT: String(port),
      DATABASE: join(temporaryDirectory(), 'placard.db'),
      ...SECRETS,
      TRUST_PROXY: '1',
    },
  })
  const ended = once(child, 'exit')
  const mount = httpMount(`http://127.0.0.1:${port}`, API_SECRET, STRIPE_SECRET)
  while (!(await mount.fetch('/api/events').catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${name} does not start`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    ...mount,
    async close() {
      child.kill()
      await ended
    },
  }
}

for (const name of ['hono', 'node-http']) {
  apiSuite(`examples/${name}`, () => example(name))
  rateLimitSuite(`examples/${name}`, () => example(name))
}

describe('a runtime that is not Node', () => {
  let code = ''
  let modules: string[] = []
  beforeAll(async () => {
    const [bundle] = await build({
      config: false,
      entry: { index: join(import.meta.dirname, '../src/entries/index.ts') },
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

  it('needs nothing of Node, and gets neither React nor a database driver', () => {
    expect(modules.length).toBeGreaterThan(20)
    expect(modules.join('\n')).not.toMatch(
      /node_modules\/(react|pg|kysely|pino|@hono|@iconify-json)[/-]|^node:/m,
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
    const placard = createPlacard({
      store: heldInMemory(),
      apiSecret: API_SECRET,
      stripeWebhookSecret: STRIPE_SECRET,
    })
    const mount: Mount = {
      fetch: (path, init) => placard.fetch(new Request(`http://worker.test${path}`, init)),
      apiSecret: API_SECRET,
      stripeSecret: STRIPE_SECRET,
      now: Date.now,
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

/** The parts of a store that this needs. A runtime brings a store of its own. */
function heldInMemory(): Core.Store {
  const held = new Map<string, Announcement>()
  let last = 0
  const put = (draft: Parameters<Core.Store['publish']>[0], by: Announcement['by']) => {
    const id = crypto.randomUUID()
    const announcement = { ...draft, id, timestamp: ++last, coupon: null, by }
    held.set(draft.type, announcement)
    return announcement
  }
  const lacking = () => Promise.reject(new Error('not needed here'))
  return {
    load: async () => ({ events: [...held.values()], scheduled: [], last }),
    publish: async (draft, { by }) => put(draft, by),
    withdraw: async () => ({ deleted: 0, scheduled: 0 }),
    async applyNotification({ effect }) {
      if (effect.kind === 'publish') put(effect.draft, { via: 'stripe' })
      return { outcome: 'published' }
    },
    recordTransitions: async () => false,
    unpurged: async () => [],
    markPurged: async () => {},
    schedule: lacking,
    edit: lacking,
    undo: lacking,
    history: lacking,
    watch: (listener) => listener.hearing(true),
    ping: async () => {},
    close: async () => {},
  }
}
