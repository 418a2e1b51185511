import { beforeEach, expect, it } from 'vitest'
import { afterTest } from '../after-file.ts'
import { API_SECRET, historyOf, makePlacard, nextAddress } from '../harness.ts'
import { onEachStore } from '../suites/mount.ts'
import { FORM, onFile, type Visitor, visitorOf } from './visitor.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const OTHER_SECRET = 'another-api-secret-9876543210'

onEachStore('signing in to the admin', (mount) => {
  let visitor: Visitor
  beforeEach(() => {
    visitor = visitorOf(mount.placard)
  })
  /** Another node on the same database. */
  async function node(apiSecret: string) {
    const other = makePlacard(await mount.place.open(), { apiSecret }, mount.clock)
    afterTest(other.close)
    return other
  }

  const redeem = (code: string, who: Visitor = visitor) => who.post('/admin/session', { code })

  it('contract O1: takes a link that was created with the bearer token and has its code in the fragment', async () => {
    const refused = await visitor.ask('/admin/links', { method: 'POST' })
    expect(refused.status).toBe(401)
    const response = await visitor.ask('/admin/links', {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_SECRET}` },
    })
    expect(response.status).toBe(201)
    const { url, expiresAt } = (await response.json()) as { url: string; expiresAt: string }
    expect(url).toMatch(/^http:\/\/placard\.test\/admin#[\w-]{22}$/)
    expect(Number(expiresAt)).toBe(mount.clock.now() + 10 * MINUTE)
  })

  it('contract O1: works once with a code, and a signed-in person stays signed in even with an invalid code', async () => {
    const code = await visitor.code(API_SECRET, 'Anna')
    const lost = code.slice(0, -1)
    for (const one of [code, code, lost]) {
      const response = await redeem(one)
      expect([response.status, response.headers.get('location')]).toEqual([303, '/admin'])
      expect(await visitor.isIn()).toBe(true)
    }
    const other = await redeem(code, visitorOf(mount.placard))
    expect(other.status).toBe(401)
    expect(await other.text()).toContain('was already used')
  })

  it('contract O1: works for one of many who redeem a code at once on two nodes', async () => {
    const other = await node(API_SECRET)
    const code = await visitor.code(API_SECRET)
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const { status } = await redeem(code, visitorOf((i % 2 ? mount : other).placard))
        return status
      }),
    )
    expect(statuses.toSorted()).toEqual([303, ...Array(19).fill(401)])
  })

  it('contract O1: works with a code for ten minutes', async () => {
    const [early, late] = [await visitor.code(API_SECRET), await visitor.code(API_SECRET)]
    mount.clock.advance(10 * MINUTE - 1)
    expect((await redeem(early)).status).toBe(303)
    mount.clock.advance(1)
    expect((await redeem(late, visitorOf(mount.placard))).status).toBe(401)
  })

  it('contract O1: works with the secret too, and with nothing else', async () => {
    for (const secret of ['', 'wrong', `${API_SECRET}x`, `${API_SECRET} `.repeat(2)]) {
      const response = await visitor.post('/admin/session', { secret })
      expect(response.status).toBe(401)
      expect(await response.text()).toContain('isn’t this service’s API secret')
      expect(response.headers.get('set-cookie')).toBeNull()
    }
    expect((await visitor.post('/admin/session', { secret: API_SECRET })).status).toBe(303)
    expect(await visitor.isIn()).toBe(true)
  })

  it('contract O1, A1: may be tried ten times in ten seconds from each client address', async () => {
    const from = { 'X-Forwarded-For': nextAddress() }
    const code = await visitor.code(API_SECRET)
    const guesses = [{ code: 'A'.repeat(22) }, { secret: 'x'.repeat(API_SECRET.length) }]
    const answers: [status: number, wait: string | null][] = []
    for (let i = 0; i < 12; i++) {
      const { status, headers } = await visitor.post('/admin/session', guesses[i % 2], from)
      answers.push([status, headers.get('retry-after')])
    }
    // Postgres counts by its own clock, which advances between the guesses.
    const late = [429, expect.stringMatching(/^([1-9]|10)$/)]
    expect(answers).toEqual([...Array(10).fill([401, null]), late, late])
    expect(visitor.cookie()).toBe('')
    expect((await redeem(code)).status).toBe(303)
  })

  it('contract A1: is counted before its form is read, and the form may have at most 4 KiB', async () => {
    const from = { 'X-Forwarded-For': nextAddress() }
    const large = { secret: 'x'.repeat(5_000) }
    for (const status of [...Array(10).fill(413), 429]) {
      expect((await visitor.post('/admin/session', large, from)).status).toBe(status)
    }
  })

  it("contract O2: sets an HttpOnly cookie for one port, which is also Secure if the admin's URL is https", async () => {
    for (const [url, name, path] of [
      ['http://placard.test', 'placard-80', '/admin'],
      ['http://placard.test:81', 'placard-81', '/admin'],
      ['https://placard.test', '__Host-placard', '/'],
      ['https://placard.test:8443', '__Host-placard-8443', '/'],
    ] as const) {
      const one = visitorOf(mount.placard, { url })
      const response = await redeem(await one.code(API_SECRET), one)
      const cookie = response.headers.get('set-cookie')?.replace(/=[\w-]{43};/, ';')
      const secure = path === '/' ? '; Secure' : ''
      expect(cookie).toBe(`${name}; Path=${path}; HttpOnly; SameSite=Strict${secure}`)
    }
  })

  it('contract O2: a session ends two hours after its last use, or up to a minute later', async () => {
    await visitor.signIn(mount)
    for (const since of [MINUTE / 2, 4 * MINUTE, 2 * HOUR - 1, MINUTE / 2, 2 * HOUR - 1]) {
      mount.clock.advance(since)
      expect(await visitor.isIn()).toBe(true)
    }
    mount.clock.advance(2 * HOUR + MINUTE)
    expect(await visitor.isIn()).toBe(false)
  })

  it('contract O4: the path with a trailing slash leads to the admin', async () => {
    const response = await visitor.get('/admin/?lang=de')
    expect([response.status, response.headers.get('location')]).toEqual([303, '/admin?lang=de'])
  })

  it("contract O2: requests that an open page sends by itself don't extend the session", async () => {
    await visitor.signIn(mount)
    for (let i = 0; i < 12; i++) {
      expect((await visitor.get('/admin/live')).status).toBe(200)
      expect((await visitor.post('/admin/preview?unasked', FORM)).status).toBe(200)
      mount.clock.advance(10 * MINUTE)
    }
    expect((await visitor.get('/admin/live')).status).toBe(401)
    expect(await visitor.isIn()).toBe(false)
  })

  it('contract O2: a session ends twelve hours after sign-in, however much it is used', async () => {
    await visitor.signIn(mount)
    for (let hour = 1; hour < 12; hour++) {
      mount.clock.advance(HOUR)
      expect(await visitor.isIn()).toBe(true)
    }
    mount.clock.advance(HOUR)
    expect(await visitor.isIn()).toBe(false)
  })

  it('contract O2: codes and sessions made with an old secret end with it, even if the node that made them had a newer one too', async () => {
    const rotating = visitorOf((await node(`${OTHER_SECRET},${API_SECRET}`)).placard)
    const after = visitorOf((await node(OTHER_SECRET)).placard)
    expect((await redeem(await rotating.code(API_SECRET), after)).status).toBe(401)
    for (const [secret, stays] of Object.entries({ [API_SECRET]: false, [OTHER_SECRET]: true })) {
      await redeem(await rotating.code(secret), rotating)
      expect(await rotating.isIn()).toBe(true)
      after.setCookie(rotating.cookie())
      expect(await after.isIn()).toBe(stays)
    }
  })

  it('contract O2: signing out ends the session on every node', async () => {
    const other = visitorOf((await node(API_SECRET)).placard)
    await visitor.signIn(mount)
    other.setCookie(visitor.cookie())
    expect(await other.isIn()).toBe(true)
    const out = await visitor.post('/admin/signout')
    expect([out.status, out.headers.get('location')]).toEqual([303, '/admin'])
    expect(await other.isIn()).toBe(false)
  })

  it('contract O2, R8: the session keeps the name for the history, and no cookie forges it', async () => {
    await visitor.signIn(mount)
    const draft = { text: 'Who wrote this?', type: 'post', slug: '/' }
    const author = async () => (await historyOf(mount))[0]?.by
    const forged = { cookie: `${visitor.cookie()}; placard-name=Mallory` }
    await visitor.post('/admin/publish', draft, forged)
    expect(await author()).toEqual({ via: 'admin' })
    expect(await (await visitor.get('/admin', forged)).text()).toMatch(/class="ask-name" hidden/)
    for (const name of ['\u202eeve', 'x'.repeat(65)]) {
      expect((await visitor.post('/admin/name', { name })).status).toBe(400)
    }
    expect((await visitor.post('/admin/name', { name: ' Zoë ' })).status).toBe(204)
    // Only the first answer counts.
    expect((await visitor.post('/admin/name', { name: 'Mallory' })).status).toBe(204)
    await visitor.post('/admin/publish', { ...draft, text: 'Who wrote that?' }, forged)
    expect(await author()).toEqual({ via: 'admin', name: 'Zoë' })
    expect(await (await visitor.get('/admin')).text()).not.toContain('ask-name')
    const stranger = visitorOf(mount.placard)
    expect((await stranger.post('/admin/name', { name: 'Eve' })).status).toBe(401)
  })

  it('contract O2: a person without a name is asked for it once in a session; a person whose link gives a name never is', async () => {
    await visitor.signIn(mount)
    expect((await visitor.post('/admin/name', { name: '' })).status).toBe(204)
    expect(await (await visitor.get('/admin')).text()).not.toContain('ask-name')
    await visitor.signIn(mount)
    expect(await (await visitor.get('/admin')).text()).toContain('ask-name')
    await visitor.signIn(mount, 'Anna')
    const page = await (await visitor.get('/admin')).text()
    expect(page).not.toContain('ask-name')
    expect(page).toContain('<bdi>Anna</bdi>')
  })

  it('contract O2: a link on another site, which sends no cookie, signs nobody out', async () => {
    await visitor.signIn(mount)
    const crossing = await visitor.get('/admin', { cookie: 'placard-lang=en; theirs=1' })
    expect(crossing.headers.getSetCookie()).toEqual([])
    expect(await crossing.text()).toContain('/admin/session')
    expect(await visitor.isIn()).toBe(true)
    visitor.setCookie(`placard-80=${'A'.repeat(43)}`)
    const over = await visitor.get('/admin')
    expect(over.headers.get('set-cookie')).toMatch(/^placard-80=; Max-Age=0;/)
  })

  it('contract O2: what is stored signs nobody in, and reveals nothing of the secret', async () => {
    const code = await visitor.code(API_SECRET, 'Anna')
    await visitor.signIn(mount, 'Ben')
    const token = visitor.cookie().split('=')[1] as string
    const digest = async (text: string) =>
      Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64url')
    const stored = await Promise.all(
      [code, token].map(async (value) => mount.store.tokens.find(await digest(value), mount.now())),
    )
    expect(stored.map((one) => one?.name)).toEqual(['Anna', 'Ben'])
    const text = JSON.stringify(stored)
    for (const value of [code, token, API_SECRET, await digest(API_SECRET)]) {
      expect(text).not.toContain(value)
    }
  })

  it("contract O1: a code isn't a session, and a session isn't a code", async () => {
    const code = await visitor.code(API_SECRET)
    visitor.setCookie(`placard-80=${code}`)
    expect(await visitor.isIn()).toBe(false)
    await redeem(code)
    const session = visitor.cookie().split('=')[1] as string
    expect((await redeem(session, visitorOf(mount.placard))).status).toBe(401)
  })

  it.each([
    ['to see a page', 200],
    ['to sign out', 303],
  ])(
    'contract R7: made-up cookies in requests %s are checked only ten times in ten seconds',
    async (_, status) => {
      const ask = (from: Record<string, string>) =>
        status === 200 ? visitor.get('/admin', from) : visitor.post('/admin/signout', {}, from)
      const from = { 'X-Forwarded-For': nextAddress() }
      const statuses: number[] = []
      for (let i = 0; i < 12; i++) {
        visitor.setCookie(`placard-80=${String(i).padStart(43, 'A')}`)
        statuses.push((await ask(from)).status)
      }
      expect(statuses).toEqual([...Array(10).fill(status), 429, 429])
      mount.clock.advance(10_000)
      visitor.setCookie('')
      await visitor.signIn(mount)
      expect((await ask(from)).status).toBe(status)
    },
  )

  it('contract O1: a name has at most 64 printable characters', async () => {
    for (const name of ['x'.repeat(65), 'a\nb', 7, '']) {
      const response = await visitor.link(API_SECRET, name)
      expect(response.status, JSON.stringify(name)).toBe(400)
      const { issues } = (await response.json()) as { issues: unknown }
      expect(issues).toEqual([
        { path: 'name', code: 'not_a_name', message: 'must be 1 to 64 printable characters' },
      ])
    }
    await visitor.signIn(mount, '100%25 Anna')
    expect(await (await visitor.get()).text()).toContain('<bdi>100%25 Anna</bdi>')
  })

  it('contract O1: the secret is in no page, header or log line', async () => {
    const said: string[] = []
    const keep = async (response: Response) => {
      said.push(await response.text(), JSON.stringify([...response.headers]))
    }
    await keep(await visitor.post('/admin/session', { secret: API_SECRET }))
    for (const path of ['/admin', '/admin/history', '/admin/site', '/admin/live']) {
      await keep(await visitor.get(path))
    }
    await keep(await visitor.post('/admin/publish', FORM))
    await keep(await visitor.get(`/admin/${API_SECRET}`))
    await keep(await visitor.get(`/admin?entry=${API_SECRET}`))
    expect(said.join('\n')).not.toContain(API_SECRET)
    expect(JSON.stringify(mount.log.lines)).not.toContain(API_SECRET)
  })
})

it("contract O1: a code isn't used up by a session that can't be stored", async () => {
  const { database, visitor } = onFile()
  const code = await visitor.code(API_SECRET)
  database.exec(`create trigger full before insert on placard_token
    begin select raise(abort, 'database or disk is full'); end`)
  expect((await visitor.post('/admin/session', { code })).status).toBeGreaterThanOrEqual(500)
  database.exec('drop trigger full')
  expect((await visitor.post('/admin/session', { code })).status).toBe(303)
  expect(await visitor.isIn()).toBe(true)
})

it('contract O2: a session row that somebody changed admits nobody', async () => {
  const { mount, database, visitor } = onFile()
  for (const proof of ['', 'x', 'é'.repeat(43), '=', Buffer.from('\xff')]) {
    await visitor.signIn(mount)
    expect(await visitor.isIn()).toBe(true)
    database.prepare('update placard_token set proof = ?').run(proof)
    const response = await visitor.get()
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('/admin/session')
  }
})
