import { expect, it } from 'vitest'
import {
  API_SECRET,
  coupon,
  current,
  DRAFT,
  type Extra,
  nextAddress,
  notify,
  publish,
} from '../harness.ts'
import { adminForEach, FORM, HOUR, held, said, undoIn, visitorOf } from './visitor.ts'

const { the, board, entries, wall } = adminForEach()
const idNow = async () => (await current(the.mount))?.id

it('contract O4: publishes what the API would, under the name of the person who is signed in', async () => {
  const response = await the.visitor.post('/admin/publish', {
    ...FORM,
    icon: 'newspaper',
    until: wall(2),
    tag: 'de',
    translation: 'Neu im Blog',
  })
  expect([response.status, await said(response)]).toEqual([
    200,
    'Published. It’s live on your site.',
  ])
  const shown = await current(the.mount)
  const until = String(the.mount.clock.now() + 2 * HOUR)
  const { id: _, timestamp: __, ...rest } = shown ?? { id: '', timestamp: '' }
  expect(rest).toEqual({
    ...DRAFT,
    icon: 'newspaper',
    expiresAt: until,
    translations: { de: 'Neu im Blog' },
  })
  const [entry] = await entries()
  expect(entry?.by).toEqual({ via: 'admin', name: 'Anna' })
})

it('contract A14: schedules, edits and removes', async () => {
  const later = await the.visitor.post('/admin/publish', { ...FORM, from: wall(3) })
  expect(await said(later)).toBe('Scheduled.')
  const [scheduled] = (await board()).scheduled
  const id = scheduled?.id as string
  expect(await (await the.visitor.get(`/admin?edit=${id}`)).text()).toContain(`value="${wall(3)}"`)
  const moved = { ...FORM, id, text: 'Edited', from: wall(5) }
  const answer = await the.visitor.post('/admin/publish', moved)
  const [edited] = (await board()).scheduled
  expect(edited).toMatchObject({ id, text: 'Edited', startsAt: the.mount.clock.now() + 5 * HOUR })
  // It says to when, and can be taken back.
  const [notice = ''] = /<p>Saved. New start.*?"\/admin\/undo"/.exec(await answer.text()) ?? []
  expect(notice).toContain(`<time datetime="${wall(5)}`)
  const same = await the.visitor.post('/admin/publish', { ...moved, text: 'Edited again' })
  expect(await said(same)).toBe('Saved.')
  // Nothing was taken down, and it can be put back at once.
  const gone = await (await the.visitor.post('/admin/withdraw', { id })).text()
  expect(gone).toMatch(/<p>Removed from the schedule.<\/p><form[^>]*"\/admin\/undo"/)
  expect(await board()).toEqual({ events: [], scheduled: [] })
})

it('contract A17: an edit replaces nothing unseen in the schedule', async () => {
  await the.visitor.post('/admin/publish', { ...FORM, from: wall(3) })
  await the.visitor.post('/admin/publish', { ...FORM, type: 'coupon', from: wall(2) })
  const id = (await board()).scheduled.find(({ type }) => type === 'post')?.id as string
  const page = await (await the.visitor.get(`/admin?edit=${id}`)).text()
  const mine = { ...FORM, id, text: 'Mine', from: wall(4), seen: held(page, 'seen') }
  await the.visitor.post('/admin/publish', {
    ...FORM,
    id,
    text: 'From somebody else',
    from: wall(3),
  })
  // What else is put up or scheduled meanwhile is none of it.
  await publish(the.mount, { ...DRAFT, type: 'product' })
  const refused = await the.visitor.post('/admin/publish', mine)
  expect(refused.status).toBe(412)
  const html = await refused.text()
  // Who, how, when and what.
  expect(html).toContain('\u2068Anna\u2069 changed this announcement while you were editing it.')
  expect(html).toMatch(/by Anna<\/bdi> in the admin, <time datetime="[^"]+"/)
  expect(html).toMatch(/Text<\/th><td><bdi>From somebody else<\/bdi><\/td><td><bdi>Mine</)
  expect(html).toMatch(new RegExp(`<a href="/admin\\?edit=${id}"[^>]*>Discard my draft`))
  const texts = async () => (await board()).scheduled.map(({ text }) => text)
  expect(await texts()).toContain('From somebody else')
  const told = held(html, 'told')
  const saved = await the.visitor.post('/admin/publish', { ...mine, told })
  expect(saved.status).toBe(200)
  expect(await texts()).toContain('Mine')
})

it('contract A17: of two who save one scheduled announcement at once, one is told of the other', async () => {
  await the.visitor.post('/admin/publish', { ...FORM, from: wall(3) })
  const id = (await board()).scheduled[0]?.id as string
  const page = await (await the.visitor.get(`/admin?edit=${id}`)).text()
  const seen = held(page, 'seen')
  const save = (text: string) =>
    the.visitor.post('/admin/publish', { ...FORM, id, seen, text, from: wall(3) })
  const both = await Promise.all([save('Of Anna'), save('Of Bob')])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412])
})

it('contract A14: a draft whose scheduled announcement is gone can be put up as a new one', async () => {
  await the.visitor.post('/admin/publish', { ...FORM, from: wall(3) })
  const id = (await board()).scheduled[0]?.id as string
  const seen = held(await (await the.visitor.get(`/admin?edit=${id}`)).text(), 'seen')
  await the.visitor.post('/admin/withdraw', { id })
  const gone = await the.visitor.post('/admin/publish', { ...FORM, id, seen, from: wall(4) })
  expect(gone.status).toBe(412)
  expect((await board()).scheduled).toHaveLength(0)
  const html = await gone.text()
  // It says who took it away, what the button does now, and leads away from it.
  expect(html).toContain('Removed from the schedule <bdi>by Anna</bdi> in the admin, <time')
  expect(html).toContain('>Schedule as new</button>')
  expect(html).toMatch(/<a href="\/admin"[^>]*>Discard my draft/)
  const again = { ...FORM, from: wall(4), id, seen, told: held(html, 'told') }
  expect((await the.visitor.post('/admin/publish', again)).status).toBe(200)
  expect((await board()).scheduled).toHaveLength(1)
})

it('contract R9: what was done can be undone from its notice, and done again from the next', async () => {
  const published = await the.visitor.post('/admin/publish', FORM)
  const { id } = (await current(the.mount)) as { id: string }
  const undone = await the.visitor.post('/admin/undo', {
    id: undoIn(await published.clone().text()),
  })
  expect(await said(undone)).toBe(`“\u2068${FORM.text}\u2069” has been removed.`)
  expect(await board()).toEqual({ events: [], scheduled: [] })
  const redone = await the.visitor.post('/admin/undo', { id: undoIn(await undone.clone().text()) })
  expect(await said(redone)).toBe(`“\u2068${FORM.text}\u2069” is back.`)
  const withdrawn = await the.visitor.post('/admin/withdraw', { id })
  expect(await said(withdrawn)).toBe('Taken down.')
  await the.visitor.post('/admin/undo', { id: undoIn(await withdrawn.clone().text()) })
  expect(await current(the.mount)).toMatchObject({ id, text: FORM.text })
  const later = await the.visitor.post('/admin/publish', { ...FORM, from: wall(3) })
  await the.visitor.post('/admin/undo', { id: undoIn(await later.clone().text()) })
  expect((await board()).scheduled).toEqual([])
})

it('contract A17: what its author undid is nothing that they have not seen', async () => {
  await the.visitor.post('/admin/publish', FORM)
  const page = await (await the.visitor.get('/admin')).text()
  const seen = held(page, 'seen')
  await the.visitor.post('/admin/publish', { ...FORM, text: 'Another' })
  const [entry] = await entries()
  const undone = await the.visitor.post('/admin/undo', { id: entry?.id as string, seen })
  const now = held(await undone.text(), 'seen')
  const draft = { ...FORM, text: 'A third', seen: now }
  // Somebody else's is none of that, even if it comes before the answer does.
  await publish(the.mount, { ...DRAFT, text: 'From somebody else' })
  expect((await the.visitor.post('/admin/publish', draft)).status).toBe(412)
  await the.mount.placard.withdraw({ type: 'post' })
  expect((await the.visitor.post('/admin/publish', draft)).status).toBe(200)
})

it.each(['2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z'])(
  'contract A14: an edit keeps a time that occurs twice: %s',
  async (startsAt) => {
    await publish(the.mount, { ...DRAFT, startsAt })
    const id = (await board()).scheduled[0]?.id as string
    const cookie = `${the.visitor.cookie()}; placard-zone=Europe%2FBerlin`
    const page = await (await the.visitor.get(`/admin?edit=${id}`, { cookie })).text()
    expect(page).toContain('name="from" value="2027-10-31T02:30"')
    const times = { from: '2027-10-31T02:30', fromWas: held(page, 'fromWas') }
    const edited = { ...FORM, ...times, zone: 'Europe/Berlin', text: 'Edited', id }
    expect((await the.visitor.post('/admin/publish', edited)).status).toBe(200)
    const { scheduled } = await board()
    expect(scheduled).toMatchObject([{ text: 'Edited', startsAt: Date.parse(startsAt) }])
  },
)

it('contract A15, R8: the history shows the languages, and the texts that a change was about', async () => {
  await publish(the.mount, { ...DRAFT, translations: { de: 'Neue Preise', fr: 'Nouveaux prix' } })
  const first = await (await the.visitor.get('/admin/history')).text()
  expect(first).toContain('Languages: de, fr')
  expect(first).not.toContain('Neue Preise')
  await publish(the.mount, { ...DRAFT, translations: { de: 'Alte Preise', fr: 'Nouveaux prix' } })
  const [newest = ''] = (await (await the.visitor.get('/admin/history')).text()).split('</li>')
  expect(newest).toMatch(/<del[^>]*>Neue Preise<.*Alte Preise</)
  expect(newest).not.toContain('Nouveaux prix')
})

it('shows the bar from right to left in a language that is read so', async () => {
  const place = async (fields: object, languages = 'en') => {
    const headers = { 'Accept-Language': languages }
    const page = await the.visitor.post('/admin/preview', { ...FORM, ...fields }, headers)
    return /class="place" dir="(rtl|ltr)"/.exec(await page.text())?.[1]
  }
  expect(await place({})).toBe('ltr')
  expect(await place({}, 'ar')).toBe('rtl')
  expect(await place({ language: 'en' }, 'ar')).toBe('ltr')
  expect(await place({ tag: 'he', translation: 'שלום לכולם', show: 'he' })).toBe('rtl')
})

it('contract A15: takes the name of a language for its tag, in that language or the reader’s', async () => {
  for (const [written, tag] of [
    ['Deutsch', 'de'],
    ['german', 'de'],
    ['Francais', 'fr'],
    ['allemand', 'de'],
    ['Brazilian Portuguese', 'pt-BR'],
    ['Brazilian', 'pt-BR'],
    ['Portuguese', 'pt'],
    ['Norwegian', 'no'],
    ['norsk', 'no'],
    ['en_US', 'en-US'],
    ['日本語', 'ja'],
    ['nds', 'nds'],
  ] as const) {
    const form = { ...FORM, tag: written, translation: 'In another language' }
    expect((await the.visitor.post('/admin/publish', form)).status, written).toBe(200)
    const { translations } = (await current(the.mount)) ?? {}
    expect(translations, written).toEqual({ [tag]: 'In another language' })
  }
})

it.each([
  ['se', 'Northern Sami'],
  ['kr', 'Kanuri'],
  ['esp', 'Unknown language'],
])('contract A15: says beside the tag %s which language has it: %s', async (tag, name) => {
  const fields = { ...FORM, tag, translation: 'In another language' }
  const page = await (await the.visitor.post('/admin/preview', fields)).text()
  expect(page).toContain(`>${name}</output>`)
})

it('times are written as the reader’s region has them, where it has the language', async () => {
  const said = async (languages: string, chosen = '') => {
    const cookie = `${the.visitor.cookie()}${chosen}`
    const headers = { 'Accept-Language': languages, cookie }
    const page = await (await the.visitor.get('/admin', headers)).text()
    return /<time datetime="2099-12-24[^>]*>([^<]*)/.exec(page)?.[1]
  }
  await the.visitor.post('/admin/publish', { ...FORM, from: '2099-12-24T09:00' })
  expect(await said('en-US,en')).toMatch(/^Thu, Dec 24, 2099/)
  expect(await said('en-GB,en-US;q=0.9,en;q=0.8')).toMatch(/^Thu,? 24 Dec 2099/)
  expect(await said('de-DE,en-GB;q=0.5', '; placard-lang=en')).toMatch(/^Thu,? 24 Dec 2099/)
  expect(await said('de-DE,en-GB;q=0.5')).toMatch(/^Do\., 24\. Dez\. 2099/)
})

it('contract A17: a draft from before somebody else published replaces nothing unseen', async () => {
  const seen = held(await (await the.visitor.get('/admin')).text(), 'seen')
  // What is of another type is none of it, and neither is what is only scheduled.
  await publish(the.mount, { ...DRAFT, type: 'coupon', text: 'Beside it' })
  const startsAt = String(the.mount.now() + 3_600_000)
  await publish(the.mount, { ...DRAFT, text: 'Later', startsAt })
  const draft = async () => (await the.visitor.post('/admin/preview', { ...FORM, seen })).text()
  expect(await draft()).not.toContain('class="conflict"')
  await publish(the.mount, { ...DRAFT, text: 'From somebody else' })
  const response = await the.visitor.post('/admin/publish', { ...FORM, seen })
  expect(response.status).toBe(412)
  const html = await response.text()
  expect(html).toContain('published another announcement of this type')
  expect(html).toMatch(/Published\s+through the API, <time[^>]*>[^<]+<\/time>/)
  expect(html).toMatch(/<bdi>From somebody else<\/bdi>/)
  expect((await current(the.mount))?.text).toBe('From somebody else')
  // It is told again as long as that is written, and never of what is not written yet.
  expect(await draft()).toContain('From somebody else')
  const empty = await the.visitor.post('/admin/preview', { ...FORM, text: 'We', seen })
  expect(await empty.text()).not.toContain('class="conflict"')
  const told = held(html, 'told')
  // Of what came after that, they were not told.
  await publish(the.mount, { ...DRAFT, text: 'From a third' })
  const third = await the.visitor.post('/admin/publish', { ...FORM, seen, told })
  const again = await third.text()
  expect([third.status, again]).toEqual([412, expect.stringMatching('From a third')])
  const known = { ...FORM, seen, told: held(again, 'told') }
  expect((await the.visitor.post('/admin/publish', known)).status).toBe(200)
})

it('contract A7, A9: says in plain words what a link is, and that a year is not complete', async () => {
  const refused = async (fields: object) => {
    const page = await (await the.visitor.post('/admin/publish', { ...FORM, ...fields })).text()
    const said = page.matchAll(/<p data-field="[^"]*">(.*?)<\/p>/g)
    return Array.from(said, ([, one = '']) => one.replace(/<[^>]+>/g, ''))
  }
  const page = 'A link must go to a page: enter an address that starts with https://, or a path'
  for (const slug of ['mailto:info@laden.de', 'tel:+491234', 'javascript:x']) {
    expect((await refused({ slug })).join(), slug).toContain(page)
  }
  const what = 'Link: Enter a link, such as /sale, or / for your home page.'
  expect(await refused({ slug: ' ' })).toEqual([what])
  const early = await refused({ until: '0002-01-01T00:00' })
  expect(early).toEqual(['Until: Enter the year in full, such as 2027.'])
  const warned = await the.visitor.post('/admin/preview', { ...FORM, slug: 'info@laden.de' })
  expect(await warned.text()).toContain(page)
})

it('contract A6, A11: a text may begin short, and once it is published every fault is said', async () => {
  const begun = await the.visitor.post('/admin/preview', { ...FORM, text: 'Hi' })
  expect(await begun.text()).not.toContain('data-field')
  const faulty = { text: 'no', slug: 'javascript:alert(1)', until: '2020-01-01T00:00' }
  const refused = await the.visitor.post('/admin/publish', { ...FORM, ...faulty })
  expect(refused.status).toBe(422)
  const html = await refused.text()
  for (const field of ['Text', 'Link', 'Until']) expect(html).toContain(`<b>${field}:</b>`)
  expect(await board()).toEqual({ events: [], scheduled: [] })
})

it('contract A10, A15: of two texts in one language, none is dropped in silence', async () => {
  const form = new URLSearchParams(FORM)
  const rows = [
    ['de', 'Der erste Text'],
    ['de', 'Der zweite Text'],
    ['__proto__', 'Kein Text'],
    ['', 'In keiner Sprache'],
  ] as const
  for (const [tag, text] of rows) {
    form.append('tag', tag)
    form.append('translation', text)
  }
  for (const [path, status] of [
    ['publish', 422],
    ['preview', 200],
  ] as const) {
    const response = await the.visitor.post(`/admin/${path}`, form)
    expect(response.status).toBe(status)
    const html = await response.text()
    expect(html).toContain('(de):</b> Another text already uses this language (de).')
    expect(html).toContain('(__proto__):</b> That isn’t a valid language code')
    expect(html).toContain('Language:</b> Choose a language.')
  }
  expect(await board()).toEqual({ events: [], scheduled: [] })
})

it('contract A14: a time is in the zone of its reader, and one that was typed stays in its own', async () => {
  const fieldIn = async (response: Response, id: string) => {
    const field = new RegExp(`<input[^>]* id="${id}"[^>]*>`).exec(await response.text())
    return /value="([^"]*)"/.exec(field?.[0] ?? '')?.[1]
  }
  const tokyo = { ...FORM, text: 'no', zone: 'Asia/Tokyo', until: wall(30) }
  const answer = await the.visitor.post('/admin/preview', tokyo)
  expect(await fieldIn(answer.clone(), 'zone')).toBe('Asia/Tokyo')
  expect(await fieldIn(answer, 'until')).toBe(wall(30))
  await the.visitor.post('/admin/publish', { ...FORM, until: wall(30) })
  for (const [zone, hours] of [
    ['Asia%2FTokyo', 39],
    ['Nowhere', 30],
  ] as const) {
    const cookie = `${the.visitor.cookie()}; placard-zone=${zone}`
    const edit = await the.visitor.get(`/admin?edit=${await idNow()}`, { cookie })
    expect(await fieldIn(edit, 'until'), zone).toBe(wall(hours))
  }
})

it('contract A14: says before it is scheduled what it will replace at its start', async () => {
  const told = async (fields: object) => {
    const preview = await the.visitor.post('/admin/preview', { ...FORM, ...fields })
    const found = /When it starts, it replaces the (\w+): <bdi>([^<]*)</.exec(await preview.text())
    return found?.slice(1)
  }
  await publish(the.mount, {
    ...DRAFT,
    text: 'Up now',
    expiresAt: String(the.mount.clock.now() + HOUR),
  })
  const friday = { ...FORM, text: 'Black Friday', from: wall(2), until: wall(6) }
  await the.visitor.post('/admin/publish', friday)
  expect(await told({ from: wall(0.5) })).toEqual(['post', 'Up now'])
  expect(await told({ from: wall(1) })).toBeUndefined()
  expect(await told({ from: wall(3) })).toEqual(['post', 'Black Friday'])
  expect(await told({ from: wall(7) })).toBeUndefined()
  expect(await told({ from: wall(3), type: 'coupon' })).toBeUndefined()
  expect(await told({})).toBeUndefined()
  // An edit doesn't replace itself.
  const [{ id = '' } = {}] = (await board()).scheduled
  expect(await told({ from: wall(3), id })).toBeUndefined()
})

it('contract A14: says that a time occurs twice, or that it does not exist', async () => {
  const berlin = { ...FORM, zone: 'Europe/Berlin' }
  const twice = await the.visitor.post('/admin/publish', { ...berlin, from: '2027-10-31T02:30' })
  expect(twice.status).toBe(422)
  const html = await twice.text()
  expect(html).toContain('This hour occurs twice')
  expect(html).toMatch(/UTC and choose 12:30\sAM or 1:30\sAM/)
  const skipped = await the.visitor.post('/admin/publish', { ...berlin, from: '2027-03-28T02:30' })
  expect(await skipped.text()).toMatch(/Choose 1:30\sAM or 3:30\sAM/)
  const cairo = { ...FORM, zone: 'Africa/Cairo', from: '2027-04-30T00:30' }
  const atMidnight = await the.visitor.post('/admin/publish', cairo)
  const days = /Choose Thu, Apr 29, 2027, 11:30\sPM or Fri, Apr 30, 2027, 1:30\sAM/
  expect(await atMidnight.text()).toMatch(days)
  const nowhere = await the.visitor.post('/admin/publish', {
    ...FORM,
    zone: 'Mars/Base',
    from: wall(1),
  })
  expect(await nowhere.text()).toContain('No time zone has that name')
  expect((await board()).scheduled).toEqual([])
})

it('contract A1: its writes count like any other, and a preview does not', async () => {
  const from = { 'X-Forwarded-For': nextAddress() }
  for (let i = 0; i < 30; i++) {
    expect((await the.visitor.post('/admin/preview', FORM, from)).status).toBe(200)
  }
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) {
    statuses.push((await the.visitor.post('/admin/publish', FORM, from)).status)
  }
  expect(statuses).toEqual([...Array(10).fill(200), 429])
  for (const path of ['publish', 'withdraw', 'undo']) {
    const form = path === 'publish' ? FORM : { id: '1' }
    const refused = await the.visitor.post(`/admin/${path}`, form, from)
    const [, said] = /Try again in (\d+) s/.exec(await refused.text()) ?? []
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, said])
  }
})

it('contract A6: a text of several lines becomes one, as its field takes several', async () => {
  const lines = {
    text: 'We wrote\r\nabout  \n\n caching',
    tag: 'de',
    translation: 'Neu\r\nhier',
  }
  expect((await the.visitor.post('/admin/publish', { ...FORM, ...lines })).status).toBe(200)
  expect(await current(the.mount)).toMatchObject({
    text: 'We wrote about caching',
    translations: { de: 'Neu hier' },
  })
})

it('contract A16: a preview warns and changes nothing', async () => {
  const response = await the.visitor.post('/admin/preview', { ...FORM, icon: 'no-such-icon' })
  const html = await response.text()
  expect(html).toContain('There is no icon')
  expect(html.match(/class="placard"/g)).toHaveLength(2)
  expect(await board()).toEqual({ events: [], scheduled: [] })
  expect(the.mount.log.lines.some(({ fields }) => fields.path === '/admin/preview')).toBe(false)
})

it.each<[string, object, string, object]>([
  ['a start that has passed', { from: '2020-01-01T00:00' }, 'will go live immediately', {}],
  [
    'a site without its https://',
    { slug: 'www.mein-laden.de/sale' },
    'Links to \u2068https://www.mein-laden.de/sale',
    { slug: 'https://www.mein-laden.de/sale' },
  ],
])(
  'contract A14, A16: a preview says what %s means, and it is published so',
  async (_, fields, told, published) => {
    const preview = await the.visitor.post('/admin/preview', { ...FORM, ...fields })
    const html = await preview.text()
    expect(html).toContain(told)
    expect(html).toContain('>Publish</button>')
    await the.visitor.post('/admin/publish', { ...FORM, ...fields })
    expect(await current(the.mount)).toMatchObject({ text: FORM.text, ...published })
  },
)

const WRITES = ['publish', 'withdraw', 'undo', 'preview', 'session', 'signout']
const FOREIGN: [string, Extra][] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a sibling of the host', { 'Sec-Fetch-Site': 'same-site' }],
  ['the address bar', { 'Sec-Fetch-Site': 'none' }],
  ['neither header', { 'Sec-Fetch-Site': undefined }],
  ['an old browser elsewhere', { 'Sec-Fetch-Site': undefined, Origin: 'https://evil.test' }],
  ['a sandboxed frame', { 'Sec-Fetch-Site': undefined, Origin: 'null' }],
  ['another port', { 'Sec-Fetch-Site': undefined, Origin: 'http://placard.test:8080' }],
]
it.each(FOREIGN)('contract O3: a form from %s is refused, for any action', async (_, headers) => {
  await publish(the.mount)
  const before = [await board(), (await entries()).length]
  for (const path of WRITES) {
    const form = { ...FORM, secret: API_SECRET, id: (await current(the.mount))?.id as string }
    const response = await the.visitor.post(`/admin/${path}`, form, headers)
    expect(response.status, path).toBe(403)
    expect(response.headers.get('set-cookie')).toBeNull()
  }
  expect([await board(), (await entries()).length]).toEqual(before)
  expect(await the.visitor.isIn()).toBe(true)
})

it('contract O3: an older browser names its origin, as the host has it or PUBLIC_URL', async () => {
  const inFront = visitorOf(the.mount.placard, { url: 'https://placard.example' })
  await inFront.post('/admin/session', { code: await inFront.code(API_SECRET) })
  for (const origin of ['https://placard.example', 'http://10.0.0.7:3000']) {
    const headers = { 'Sec-Fetch-Site': undefined, Origin: origin, Host: '10.0.0.7:3000' }
    const response = await inFront.post('/admin/publish', FORM, headers)
    expect(response.status, origin).toBe(200)
  }
})

it('contract O3: where https is used, http of the same host is another origin', async () => {
  const inFront = visitorOf(the.mount.placard, { url: 'https://placard.example' })
  await inFront.post('/admin/session', { code: await inFront.code(API_SECRET) })
  const headers = { 'Sec-Fetch-Site': undefined, Origin: 'http://placard.example' }
  const forged = { ...headers, Host: 'placard.example' }
  expect((await inFront.post('/admin/publish', FORM, forged)).status).toBe(403)
  expect(await board()).toEqual({ events: [], scheduled: [] })
})

it('contract O3: no page may be framed, kept, or run what is not ours', async () => {
  for (const path of ['/admin', '/admin/history', '/admin/site', '/admin/nothing']) {
    const { headers, status } = await the.visitor.get(path)
    if (status === 200) {
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*/)
      expect(headers.get('referrer-policy')).toBe('same-origin')
    }
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

it('contract O4: without a session there is nothing to see, and nothing happens', async () => {
  await publish(the.mount, { ...DRAFT, text: 'Not for strangers' })
  const before = await board()
  const stranger = visitorOf(the.mount.placard)
  for (const path of ['', '/history', '/site', '/live', '/icons', '/stream']) {
    const response = await stranger.get(`/admin${path}`)
    expect(await response.text()).not.toContain('Not for strangers')
  }
  for (const path of ['publish', 'withdraw', 'undo', 'preview']) {
    expect((await stranger.post(`/admin/${path}`, FORM)).status, path).toBe(401)
  }
  expect(await board()).toEqual(before)
})

it('contract O4: the cookie opens the admin alone; the API takes the bearer', async () => {
  const headers = { cookie: the.visitor.cookie(), 'Sec-Fetch-Site': 'same-origin' }
  for (const [method, path] of [
    ['POST', '/api/events'],
    ['DELETE', '/api/events?type=post'],
    ['GET', '/api/events/history'],
    ['GET', '/api/events/slots'],
  ] as const) {
    expect((await the.mount.fetch(path, { method, headers })).status, path).toBe(401)
  }
})

it('contract A5: forms alone, of at most 1 MiB, in UTF-8', async () => {
  const json = { 'Content-Type': 'application/json' }
  expect((await the.visitor.post('/admin/publish', FORM, json)).status).toBe(415)
  const large = { ...FORM, text: 'x'.repeat(1_100_000) }
  expect((await the.visitor.post('/admin/publish', large)).status).toBe(413)
  expect(await board()).toEqual({ events: [], scheduled: [] })
})

it('contract W5: says why a coupon did not show, and that un-featuring leaves one up', async () => {
  await notify(the.mount, coupon('created', { name: 'Black Friday', coupon: 'BF25' }))
  const page = await (await the.visitor.get('/admin')).text()
  expect(page).toContain('BF25')
  expect(page).toContain('Removing isFeatured in Stripe doesn’t take this down')
  await notify(the.mount, coupon('created', { name: 'Late', coupon: 'LATE5', valid: false }))
  const history = await (await the.visitor.get('/admin/history')).text()
  expect(history).toContain('Ignored')
  expect(history).toContain('Stripe says that the coupon can no longer be redeemed')
  expect(history).toContain('Stripe coupon LATE5')
})

it('contract R8: each entry of the history says which type it is about', async () => {
  const types = async () => {
    const page = await (await the.visitor.get('/admin/history')).text()
    const tags = [...page.matchAll(/class="action">.*?<time/g)].map(String)
    return tags.map((tag) => Array.from(tag.matchAll(/class="tags">([^<]+)</g), ([, it]) => it))
  }
  await publish(the.mount, { ...DRAFT, type: 'product' })
  await the.mount.placard.withdraw({ type: 'product' })
  await notify(the.mount, coupon('created', { name: 'Late', coupon: 'LATE5', valid: false }))
  expect(await types()).toEqual([['Coupon'], ['Product'], ['Product']])
  // In the schedule, an edit may make one type of another.
  await the.visitor.post('/admin/publish', { ...FORM, from: wall(3) })
  const [{ id = '' } = {}] = (await board()).scheduled
  await the.visitor.post('/admin/publish', { ...FORM, id, type: 'coupon', from: wall(3) })
  expect((await types()).slice(0, 2)).toEqual([['Post', 'Coupon'], ['Post']])
})

it('contract R7: says what visitors will see at an instant', async () => {
  await the.visitor.post('/admin/publish', { ...FORM, until: wall(2) })
  await the.visitor.post('/admin/publish', { ...FORM, text: 'Coming soon', from: wall(4) })
  const html = await (await the.visitor.get('/admin')).text()
  const from = Array.from(html.matchAll(/data-from="(\d+)"/g), ([, at]) => Number(at))
  expect(from).toEqual([0, 2, 4].map((hours) => the.mount.clock.now() + hours * HOUR))
  const [, now, then, later] = html.split(/data-from=/)
  expect(now).toContain(FORM.text)
  expect(then).toContain('Nothing')
  expect(later).toContain('Coming soon')
})

it('tells what is new and only that', async () => {
  const state = async () => {
    const html = await (await the.visitor.get('/admin/live')).text()
    return /data-state="([^"]+)"/.exec(html)?.[1] as string
  }
  const before = await state()
  expect((await the.visitor.get(`/admin/live?now=${before}`)).status).toBe(204)
  await publish(the.mount, { ...DRAFT, startsAt: String(the.mount.clock.now() + HOUR) })
  expect((await the.visitor.get(`/admin/live?now=${before}`)).status).toBe(200)
})

it('contract R4: HEAD of the stream takes no place', async () => {
  const head = await the.visitor.ask('/admin/stream', { method: 'HEAD' })
  expect([head.status, head.body]).toEqual([200, null])
  expect(the.mount.placard.streams.size).toBe(0)
  const followed = await the.visitor.get('/admin/stream')
  expect(the.mount.placard.streams.size).toBe(1)
  await followed.body?.cancel()
  expect(the.mount.placard.streams.size).toBe(0)
})

it('answers addresses that make no sense with a page', async () => {
  for (const entry of ['999999999999999', '0', '-1', '1e9', '__proto__', '%00']) {
    for (const path of ['?entry', '?edit', '?copy', '/history?before']) {
      expect((await the.visitor.get(`/admin${path}=${entry}`)).status, entry).toBe(200)
    }
  }
})

it('finds icons by name and alias, over the whole set', async () => {
  const found = async (q: string) => (await the.visitor.get(`/admin/icons?q=${q}`)).text()
  expect(await found('newspaper')).toContain('data-icon="newspaper"')
  expect(await found('edit')).toMatch(/^<div><button[^>]* data-icon="square-pen"/)
  expect(await found('%3Cscript%3E')).not.toContain('<script')
  expect(await found('zzzzzz')).toMatch(/^<div><p[^>]*>No icons found\.<\/p><\/div>$/)
  expect(await found('贈り物')).not.toContain('<button')
  // By what shops call them, in English everywhere and in the reader's language.
  for (const word of ['sale', 'shipping', 'coupon', 'christmas', 'price']) {
    expect(await found(word), word).toMatch(/data-icon="(badge|truck|ticket|tree|tag)-?/)
  }
  const German = await the.visitor.get('/admin/icons?q=Versand', { 'Accept-Language': 'de' })
  expect(await German.text()).toMatch(/^<div><button[^>]* data-icon="truck"/)
  // Nobody has searched yet.
  const offered = [...(await found('')).matchAll(/data-icon="([^"]+)".*?<svg[^>]*>(.*?)<\/svg>/g)]
  const names = offered.map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['gift', 'tag', 'megaphone', 'newspaper']))
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeLessThan(30)
  for (const [, name, body] of offered) expect(body, name).not.toBe('')
})

it('answers a person with a page wherever they get, and leads back', async () => {
  for (const [path, status] of [
    ['/admin/nothing', 404],
    ['/admin/publish', 405],
  ] as const) {
    const page = await the.visitor.get(path, { Accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ])
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(await page.text()).toContain('href="/admin"')
  }
})

it('says where the secret is, by its path or that it was set, and never the secret', async () => {
  const site = async (options: object) => {
    const one = visitorOf(the.mount.placard, { url: 'http://placard.test', ...options })
    await one.signIn(the.mount)
    const page = await (await one.get('/admin/site')).text()
    expect(page).not.toContain(API_SECRET)
    return page
  }
  const kept = await site({ secretFile: '/srv/my data/event-api-secret' })
  expect(kept).toContain('EVENT_API_SECRET=$(cat &#39;/srv/my data/event-api-secret&#39;)')
  const given = await site({})
  expect(given).not.toContain('event-api-secret')
  expect(given).toContain('from the service’s settings')
})

it('is mounted under a path of its host, if that would work, and its links have one slash', async () => {
  for (const path of ['', '/', 'admin', '/admin/', '/a b', '/:id', '/*']) {
    expect(() => visitorOf(the.mount.placard, { path }), path).toThrow(TypeError)
  }
  expect(() => visitorOf(the.mount.placard, { url: 'placard.test' })).toThrow(TypeError)
  const path = '/ops/bar'
  const elsewhere = visitorOf(the.mount.placard, { url: 'http://placard.test', path })
  const page = await (await elsewhere.get(path)).text()
  expect(page).toContain('action="/ops/bar/session"')
  expect(page).toContain('placard open --path /ops/bar --url http://placard.test')
  expect(await elsewhere.admin.createLink()).toMatch(/^http:\/\/placard\.test\/ops\/bar#/)
  const { admin } = visitorOf(the.mount.placard, { url: 'http://placard.test/' })
  expect(await admin.createLink()).toMatch(/^http:\/\/placard\.test\/admin#/)
})
