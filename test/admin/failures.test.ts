import { describe, expect, it } from 'vitest'
import { lazyAdmin } from '../../src/server/router.ts'
import { API_SECRET, inMemory } from '../harness.ts'
import { FORM, onFile, signedIn, visitorOf } from './visitor.ts'

describe('the admin, when something fails', () => {
  it('contract R6: shows a page with 503, and logs the cause under the same request id', async () => {
    const { mount, database, visitor } = onFile()
    await visitor.signIn(mount)
    database.exec('alter table placard_event rename to elsewhere')
    for (const [path, form] of [
      ['/admin', undefined],
      ['/admin/publish', FORM],
      ['/admin/withdraw', { id: 'x' }],
    ] as const) {
      mount.log.lines.length = 0
      const headers = { Accept: 'text/html', 'X-Request-Id': `person-${path.length}` }
      const asked = form ? visitor.post(path, form, headers) : visitor.get(path, headers)
      const response = await asked
      expect(response.status, path).toBe(503)
      const html = await response.text()
      expect(html).toContain('The service can’t reach its database right now')
      if (!form) expect(html).toContain('<title>503 · Placard')
      const errors = mount.log.lines.filter(({ level }) => level === 'error')
      expect(errors.length, path).toBeGreaterThan(0)
      for (const { fields } of errors) {
        expect(fields.requestId).toBe(headers['X-Request-Id'])
        expect(JSON.stringify(fields)).toContain('no such table')
      }
    }
    const part = await visitor.get('/admin/live', { Accept: 'application/json' })
    expect([part.status, part.headers.get('content-type')]).toEqual([503, 'application/json'])
  })

  it('contract A5: says what exceeds the limits of the API, without blaming the service', async () => {
    const { mount, visitor } = await signedIn()
    const response = await visitor.post('/admin/publish', { ...FORM, text: 'x'.repeat(20_000) })
    expect(response.status).toBe(422)
    const html = await response.text()
    expect(html).not.toContain('The service’s log')
    expect(html).toContain('Use 3 to 500 characters')
    await mount.placard.publish({ text: 'From somebody else', type: 'post', slug: '/' })
    for (const seen of ['one\ntwo', '漢字']) {
      expect((await visitor.post('/admin/publish', { ...FORM, seen })).status).toBe(412)
    }
  })

  it("contract R6: returns 503 if its code can't be loaded, and tries again with the next request", async () => {
    const mount = inMemory()
    let files = 0
    const options = () => {
      if (files++ === 0) throw new Error('EMFILE: too many open files')
      return { url: 'http://placard.test' }
    }
    const admin = lazyAdmin(mount.placard, options, mount.log)
    for (const status of [503, 200]) {
      const response = await admin.fetch(new Request('http://placard.test/admin'))
      expect(response.status).toBe(status)
      expect(await response.text()).not.toContain('EMFILE')
      const id = response.headers.get('x-request-id')
      expect(mount.log.lines.filter(({ fields }) => fields.requestId === id).length).toBe(
        id ? 1 : 0,
      )
    }
    expect(JSON.stringify(mount.log.lines)).toContain('EMFILE')
  })

  it('contract O2: still opens for a signed-in owner while the database accepts no writes', async () => {
    const { mount, database, visitor } = onFile()
    await visitor.signIn(mount)
    database.exec(`create trigger full before update on placard_token
      begin select raise(fail, 'database or disk is full'); end`)
    mount.clock.advance(6 * 60_000)
    expect((await visitor.get('/admin')).status).toBe(200)
  })

  it('contract R6: logs a request whose query ends in /preview, although it logs no previews', async () => {
    const mount = inMemory()
    const visitor = visitorOf(mount.placard)
    await visitor.post('/admin/session?/preview', { secret: API_SECRET })
    expect(mount.log.lines.map(({ fields }) => fields.route)).toContain('/admin/session')
  })
})
