import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import esbuild from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import type { createAdmin } from '../../src/entries/admin.ts'
import { inMemory, nextAddress } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { visitorOf } from './visitor.ts'

/** A host's own bundle lies outside the package, and contains its own copies of the service's modules. */
describe("placard/admin in its host's bundle", () => {
  let create: typeof createAdmin
  beforeAll(async () => {
    const outfile = join(temporaryDirectory(), 'bundle.cjs')
    const entryPoints = [fileURLToPath(import.meta.resolve('placard/admin'))]
    await esbuild.build({ entryPoints, bundle: true, platform: 'node', outfile })
    create = createRequire(outfile)(outfile).createAdmin
  })

  const open = () => {
    const mount = inMemory()
    const { get, post } = visitorOf(mount.placard, undefined, create)
    const from = { 'X-Forwarded-For': nextAddress() }
    const signIn = (secret: string) => post('/admin/session', { secret }, from)
    return { ...mount, get, signIn }
  }

  it('contract O3: contains its own script and styles', async () => {
    const { get } = open()
    const page = await (await get()).text()
    const files = [...page.matchAll(/(?:src|href)="(\/admin\/[\w-]+\.\w+)"/g)]
    expect(files).toHaveLength(3)
    for (const [, file] of files) {
      const response = await get(file)
      expect(response.status).toBe(200)
      expect((await response.text()).length).toBeGreaterThan(1_000)
    }
  })

  it('contract O1, A1: rejects a wrong secret with 401, and after ten attempts with 429', async () => {
    const { signIn } = open()
    for (let i = 0; i < 10; i++) expect((await signIn('a wrong secret')).status).toBe(401)
    expect((await signIn('a wrong secret')).status).toBe(429)
  })

  it('contract R6: returns 503 if the database is gone, not 500 as for a bug', async () => {
    const { signIn, apiSecret, close } = open()
    await close()
    expect((await signIn(apiSecret)).status).toBe(503)
  })
})
