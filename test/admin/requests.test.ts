import { expect, it } from 'vitest'
import {
  API_SECRET,
  coupon,
  current,
  DRAFT,
  type Extra,
  idOf,
  nextAddress,
  notify,
  publish,
} from '../harness.ts'
import { adminForEach, FORM, held, said, undoIn, visitorOf } from './visitor.ts'

const { the, board, entries, inHours, open, page, pageWith, post, put, shown, wall } =
  adminForEach()
/** The bar's preview and snippet, with the given choices. */
const looked = (choices: Record<string, string>, headers = {}) => {
  const chosen = encodeURIComponent(`${new URLSearchParams(choices)}`)
  return pageWith(`placard-site=${chosen}`, '/admin/looked', headers)
}

it('contract O4: the admin publishes what the API would, under the name of the signed-in person', async () => {
  const { status, text } = await post('publish', {
    ...FORM,
    icon: 'newspaper',
    until: wall(2),
    tag: 'de',
    translation: 'Neu im Blog',
    translationSlug: 'blog.example/de',
  })
  expect([status, said(text)]).toEqual([200, 'Published. It’s live on your site.'])
  const published = await current(the.mount)
  expect(published).toEqual({
    ...DRAFT,
    id: expect.any(String),
    timestamp: expect.any(String),
    icon: 'newspaper',
    expiresAt: String(inHours(2)),
    translations: { de: 'Neu im Blog' },
    slugs: { de: 'https://blog.example/de' },
  })
  const [entry] = await entries()
  expect(entry?.by).toEqual({ via: 'admin', name: 'Anna' })
})

it('contract A14: the admin schedules, edits and removes an announcement', async () => {
  const later = await post('publish', { ...FORM, from: wall(3) })
  expect(said(later.text)).toBe('Scheduled.')
  const [scheduled] = (await board()).scheduled
  const id = scheduled?.id as string
  expect(await page(`/admin?edit=${id}`)).toContain(`value="${wall(3)}"`)
  const moved = { ...FORM, id, text: 'Edited', from: wall(5) }
  const answer = await post('publish', moved)
  const [edited] = (await board()).scheduled
  expect(edited).toMatchObject({ id, text: 'Edited', startsAt: inHours(5) })
  // The notice gives the new start, and offers an undo.
  const [notice = ''] = /<p>Saved. New start.*?"\/admin\/undo"/.exec(answer.text) ?? []
  expect(notice).toContain(`<time datetime="${wall(5)}`)
  const same = await post('publish', { ...moved, text: 'Edited again' })
  expect(said(same.text)).toBe('Saved.')
  // The notice says that the announcement was unscheduled, and offers an undo.
  const gone = await post('withdraw', { id })
  expect(gone.text).toMatch(/<p>Removed from the schedule.<\/p><form[^>]*"\/admin\/undo"/)
  expect(await board()).toEqual({ published: [], scheduled: [] })
})

it('contract A17: an edit of a scheduled announcement overwrites no change that its author has not seen', async () => {
  const { id } = await put('Planned', { startsAt: inHours(3) })
  await put('Before it', { type: 'coupon', startsAt: inHours(2) })
  const mine = { ...(await open(id)), text: 'Mine', from: wall(4) }
  const theirs = { ...FORM, id, text: 'From somebody else', type: 'product', language: 'en' }
  await post('publish', { ...theirs, from: wall(3) })
  // Other announcements that are published or scheduled meanwhile cause no conflict.
  await put('Beside it', { type: 'product' })
  const refused = await post('publish', mine)
  expect(refused.status).toBe(412)
  const html = refused.text
  // The conflict says who changed what, how and when.
  expect(html).toContain('\u2068Anna\u2069 changed this announcement while you were editing it.')
  expect(html).toMatch(/by Anna<\/bdi> in the admin, <time datetime="[^"]+"/)
  expect(html).toMatch(/Text<\/th><td><bdi>From somebody else<\/bdi><\/td><td><bdi>Mine</)
  expect(html).toMatch(/Type<\/th><td><bdi>Product<\/bdi><\/td><td><bdi>Post</)
  expect(html).toMatch(/Language of this text<\/th><td><bdi>en<\/bdi><\/td><td><bdi></)
  expect(html).toMatch(new RegExp(`<a href="/admin\\?edit=${id}"[^>]*>Discard my draft`))
  const texts = async () => (await board()).scheduled.map(({ text }) => text)
  expect(await texts()).toContain('From somebody else')
  expect((await post('publish', { ...mine, told: held(html, 'told') })).status).toBe(200)
  expect(await texts()).toContain('Mine')
})

it('contract A17: if two people save a scheduled announcement at once, one of them gets a conflict', async () => {
  const { id } = await put('Planned', { startsAt: inHours(3) })
  const fields = { ...(await open(id)), from: wall(3) }
  const save = (text: string) => post('publish', { ...fields, text })
  const both = await Promise.all([save('Of Anna'), save('Of Bob')])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412])
})

it('contract A14, A17: a draft of a removed announcement can be saved as a new one, once the form has reported the removal', async () => {
  const { id } = await put('Planned', { startsAt: inHours(3) })
  const draft = { ...(await open(id)), from: wall(4) }
  await post('withdraw', { id })
  const gone = await post('publish', draft)
  expect(gone.status).toBe(412)
  expect(await board()).toEqual({ published: [], scheduled: [] })
  // The response says who removed the announcement and what the button does now, and offers to discard the draft.
  expect(gone.text).toContain('removed this announcement while you were editing it')
  expect(gone.text).toContain('Removed from the schedule <bdi>by Anna</bdi> in the admin, <time')
  expect(gone.text).toContain('New announcement')
  expect(gone.text).toContain('>Schedule as new</button>')
  expect(gone.text).toMatch(/<a href="\/admin"[^>]*>Discard my draft/)
  const atOnce = await post('preview', { ...draft, from: '' })
  expect(atOnce.text).toContain('>Publish as new</button>')
  const again = { ...draft, told: held(gone.text, 'told') }
  expect((await post('publish', again)).status).toBe(200)
  expect((await board()).scheduled).toHaveLength(1)
})

it('contract R9: a change can be undone from its notice, and redone from the next one', async () => {
  const published = await post('publish', FORM)
  const { id } = await open()
  const undone = await post('undo', { id: undoIn(published.text) })
  expect(said(undone.text)).toBe(`“\u2068${FORM.text}\u2069” has been removed.`)
  expect(await board()).toEqual({ published: [], scheduled: [] })
  const redone = await post('undo', { id: undoIn(undone.text) })
  expect(said(redone.text)).toBe(`“\u2068${FORM.text}\u2069” is back.`)
  const withdrawn = await post('withdraw', { id })
  expect(said(withdrawn.text)).toBe('Taken down.')
  await post('undo', { id: undoIn(withdrawn.text) })
  expect(await current(the.mount)).toMatchObject({ id, text: FORM.text })
  const later = await post('publish', { ...FORM, from: wall(3) })
  await post('undo', { id: undoIn(later.text) })
  expect((await board()).scheduled).toEqual([])
})

it("contract A17: an author's own undo doesn't count as unseen, but another person's change does", async () => {
  await post('publish', FORM)
  const seen = held(await page(), 'seen')
  await post('publish', { ...FORM, text: 'Another' })
  const [entry] = await entries()
  const undone = await post('undo', { id: entry?.id as string, seen })
  const draft = { ...FORM, text: 'A third', seen: held(undone.text, 'seen') }
  // Another person's announcement is a conflict, even if it was published before the response to the undo arrived.
  await put('From somebody else')
  expect((await post('publish', draft)).status).toBe(412)
  await the.mount.placard.withdraw({ type: 'post' })
  expect((await post('publish', draft)).status).toBe(200)
})

it.each(['2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z'])(
  'contract A14: an edit keeps a time that occurs twice: %s',
  async (startsAt) => {
    await publish(the.mount, { ...DRAFT, startsAt })
    const id = (await board()).scheduled[0]?.id as string
    const html = await pageWith('placard-zone=Europe%2FBerlin', `/admin?edit=${id}`)
    expect(html).toContain('name="from" value="2027-10-31T02:30"')
    const was = { fromWas: held(html, 'fromWas'), zoneWas: held(html, 'zoneWas') }
    const times = { from: '2027-10-31T02:30', zone: 'Europe/Berlin', ...was }
    const edited = { ...FORM, ...times, text: 'Edited', id }
    expect((await post('publish', edited)).status).toBe(200)
    const { scheduled } = await board()
    expect(scheduled).toMatchObject([{ text: 'Edited', startsAt: Date.parse(startsAt) }])
  },
)

it('contract A15, R8: the history shows the texts of a new announcement, and those that a change affected', async () => {
  const fields = { icon: 'tag', language: 'en', slugs: { de: '/de/preise' } }
  const translations = { de: 'Neue Preise', fr: 'Nouveaux prix' }
  await publish(the.mount, { ...DRAFT, ...fields, translations })
  const first = await page('/admin/history')
  for (const shown of ['Neue Preise', 'Nouveaux prix', '/de/preise', 'Icon: tag', ' text: en']) {
    expect(first).toContain(shown)
  }
  expect(first).not.toMatch(/Languages:|<del/)
  await publish(the.mount, { ...DRAFT, translations: { de: 'Alte Preise', fr: 'Nouveaux prix' } })
  const [newest = ''] = (await page('/admin/history')).split('</li>')
  expect(newest).toMatch(/<del[^>]*>Neue Preise<.*Alte Preise</)
  expect(newest).not.toContain('Nouveaux prix')
  await publish(the.mount, { ...DRAFT, translations: { fr: 'Nouveaux prix' }, language: 'en' })
  const french = { tag: 'fr', translation: 'Nouveaux prix' }
  await post('publish', { ...(await open()), ...french, language: 'en-GB' })
  expect((await page('/admin/history')).split('</li>')[0]).toMatch(/<del[^>]*>en<.*en-GB/)
  // The list of languages leaves out those whose texts are shown.
  await publish(the.mount, { ...DRAFT, text: 'Another', translations: { de: 'Keine Preise' } })
  expect((await page('/admin/history')).split('</li>')[0]).not.toContain('Languages')
})

it('contract A19, R8: the history shows the links that a change affected', async () => {
  await publish(the.mount, { ...DRAFT, slugs: { de: '/de/alt', fr: '/fr' } })
  await publish(the.mount, { ...DRAFT, slugs: { de: '/de/neu', fr: '/fr' } })
  const [newest = ''] = (await page('/admin/history')).split('</li>')
  expect(newest).toMatch(/<del[^>]*><bdi[^>]*>\/de\/alt<.*\/de\/neu</)
  expect(newest).not.toContain('/fr<')
})

it('contract R8: the history only names the languages of an announcement that was taken down', async () => {
  const id = idOf(await publish(the.mount, { ...DRAFT, translations: { de: 'Neue Preise' } }))
  await post('withdraw', { id })
  const [newest = ''] = (await page('/admin/history')).split('</li>')
  expect(newest).toContain('Languages: de')
  expect(newest).not.toContain('Neue Preise')
})

it('contract A19: a language may have a link without a text, and the form says where the link leads or what is wrong with it', async () => {
  const form = { ...FORM, tag: 'de', translation: '', translationSlug: 'example.com/de' }
  const { text } = await post('preview', form)
  expect(text).toContain('<b>de:</b> Links to \u2068https://example.com/de\u2069')
  expect((await post('publish', form)).status).toBe(200)
  const event = await current(the.mount)
  expect(event).toMatchObject({ slugs: { de: 'https://example.com/de' } })
  expect(event).not.toHaveProperty('translations')
  const odd = await post('preview', { ...form, translationSlug: '/100%' })
  expect(odd.text).toContain('<b>de:</b> The link has a %')
  const wrong = await post('publish', { ...form, translationSlug: 'mailto:a@b.example' })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toContain('<b>Link (de):</b> A link must go to a page')
  expect(wrong.text).toMatch(/<input name="translationSlug"[^>]* aria-invalid="true"/)
})

it('the preview shows the bar from right to left in a right-to-left language', async () => {
  const place = async (fields: object, languages = 'en') => {
    const { text } = await post('preview', { ...FORM, ...fields }, { 'Accept-Language': languages })
    return /class="place" dir="(rtl|ltr)"/.exec(text)?.[1]
  }
  expect(await place({})).toBe('ltr')
  expect(await place({}, 'ar')).toBe('rtl')
  expect(await place({ language: 'en' }, 'ar')).toBe('ltr')
  expect(await place({ tag: 'he', translation: 'שלום לכולם', show: 'he' })).toBe('rtl')
})

it("contract A15: a language's name, in that language or in any of the admin's languages, is read as its tag", async () => {
  for (const [written, tag] of Object.entries({
    ...{ Deutsch: 'de', german: 'de', allemand: 'de', Francais: 'fr', 日本語: 'ja', nds: 'nds' },
    ...{ 'Brazilian Portuguese': 'pt-BR', Brazilian: 'pt-BR', Portuguese: 'pt' },
    ...{ Norwegian: 'no', norsk: 'no', en_US: 'en-US' },
  })) {
    const form = { ...FORM, tag: written, translation: 'In another language' }
    expect((await post('publish', form)).status, written).toBe(200)
    const { translations } = (await current(the.mount)) ?? {}
    expect(translations, written).toEqual({ [tag]: 'In another language' })
  }
})

it.each([
  ['se', 'Northern Sami'],
  ['kr', 'Kanuri'],
  ['esp', 'Unknown language'],
])('contract A15: next to the tag %s, the form names its language: %s', async (tag, name) => {
  const { text } = await post('preview', { ...FORM, tag, translation: 'In another language' })
  expect(text).toContain(`>${name}</output>`)
})

it("dates are formatted for the region that the reader's browser prefers in the page's language", async () => {
  const written = async (languages: string, chosen = '') => {
    const html = await pageWith(chosen, '/admin', { 'Accept-Language': languages })
    return /<time datetime="2099-12-24[^>]*>([^<]*)/.exec(html)?.[1]
  }
  await post('publish', { ...FORM, from: '2099-12-24T09:00' })
  expect(await written('en-US,en')).toMatch(/^Thu, Dec 24, 2099/)
  expect(await written('en-GB,en-US;q=0.9,en;q=0.8')).toMatch(/^Thu,? 24 Dec 2099/)
  expect(await written('de-DE,en-GB;q=0.5', 'placard-lang=en')).toMatch(/^Thu,? 24 Dec 2099/)
  expect(await written('de-DE,en-GB;q=0.5')).toMatch(/^Do\., 24\. Dez\. 2099/)
})

it("contrast is written with the reader's decimal sign", async () => {
  const look = { colored: 'on', color: '#888888', surface: '#ffffff' }
  const site = (tag: string) => looked(look, { 'Accept-Language': tag })
  expect(await site('en')).toContain('Contrast 3.5:1')
  expect(await site('de')).toContain('Kontrast 3,5:1')
  expect(await site('ar')).toContain('3.5:1')
})

it('contract A17: a draft begun before another person published replaces nothing that its author has not seen', async () => {
  const seen = held(await page(), 'seen')
  // Announcements of another type, or only scheduled, cause no conflict.
  await put('Beside it', { type: 'coupon' })
  await put('Later', { startsAt: inHours(1) })
  const draft = async () => (await post('preview', { ...FORM, seen })).text
  expect(await draft()).not.toContain('class="conflict"')
  await publish(the.mount, { ...DRAFT, text: 'From somebody else' })
  const refused = await post('publish', { ...FORM, seen })
  expect(refused.status).toBe(412)
  expect(refused.text).toContain(
    '<p>\u2068Someone\u2069 published another announcement of this type',
  )
  expect(refused.text).toMatch(/Published\s+through the API, <time[^>]*>[^<]+<\/time>/)
  expect(refused.text).toMatch(/<bdi>From somebody else<\/bdi>/)
  expect(await shown()).toBe('From somebody else')
  // The draft shows the conflict with each preview; a draft whose text is still too short shows none.
  expect(await draft()).toContain('From somebody else')
  const empty = await post('preview', { ...FORM, text: 'We', seen })
  expect(empty.text).not.toContain('class="conflict"')
  // The author hasn't seen a later change.
  await put('From a third')
  const again = await post('publish', { ...FORM, seen, told: held(refused.text, 'told') })
  expect(again.status).toBe(412)
  expect(again.text).toContain('From a third')
  const known = { ...FORM, seen, told: held(again.text, 'told') }
  expect((await post('publish', known)).status).toBe(200)
})

it('contract A7, A9: the form says in plain words what a link is, and that a year is incomplete', async () => {
  const refused = async (fields: object) => {
    const { text } = await post('publish', { ...FORM, ...fields })
    const said = text.matchAll(/<p data-field="[^"]*">(.*?)<\/p>/g)
    return Array.from(said, ([, one = '']) => one.replace(/<[^>]+>/g, ''))
  }
  const what = 'A link must go to a page: enter an address that starts with https://, or a path'
  for (const slug of ['mailto:info@laden.de', 'tel:+491234', 'javascript:x']) {
    expect((await refused({ slug })).join(), slug).toContain(what)
  }
  const none = 'Link: Enter a link, such as /sale, or / for your home page.'
  expect(await refused({ slug: ' ' })).toEqual([none])
  const early = await refused({ until: '0002-01-01T00:00' })
  expect(early).toEqual(['Until: Enter the year in full, such as 2027.'])
  const warned = await post('preview', { ...FORM, slug: 'info@laden.de' })
  expect(warned.text).toContain(what)
})

it('contract A6, A11: a preview tolerates a text that is still too short, but publishing names every fault', async () => {
  const begun = await post('preview', { ...FORM, text: 'Hi' })
  expect(begun.text).not.toContain('data-field')
  const faulty = { text: 'no', slug: 'javascript:alert(1)', until: '2020-01-01T00:00' }
  const { status, text } = await post('publish', { ...FORM, ...faulty })
  expect(status).toBe(422)
  for (const field of ['Text', 'Link', 'Until']) expect(text).toContain(`<b>${field}:</b>`)
  expect(await board()).toEqual({ published: [], scheduled: [] })
})

it('contract A10, A15: neither a second text in a language nor one without a language is dropped silently', async () => {
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
  for (const [path, expected] of Object.entries({ publish: 422, preview: 200 })) {
    const { status, text } = await post(path, form)
    expect(status).toBe(expected)
    expect(text).toContain('(de):</b> Another text already uses this language (de).')
    expect(text).toContain('(__proto__):</b> That isn’t a valid language code')
    expect(text).toContain('Language:</b> Choose a language.')
  }
  expect(await board()).toEqual({ published: [], scheduled: [] })
})

it('contract A15: the row of a faulty translation is marked once it has a text', async () => {
  const marked = async (written: string) => {
    const form = new URLSearchParams({ ...FORM, tag: 'de', translation: 'Neu im Blog' })
    form.append('tag', 'fr ')
    form.append('translation', written)
    const { text } = await post('preview', form)
    const rows = text.matchAll(/<input name="tag" value="([^"]*)"[^>]* aria-invalid="true"/g)
    return Array.from(rows, ([, tag]) => tag)
  }
  expect(await marked('')).toEqual([])
  expect(await marked('x')).toEqual(['fr'])
  expect(await marked('Nouveau sur le blog')).toEqual([])
})

it("contract A14: times are in the reader's zone, but a typed time stays in the form's zone", async () => {
  const cookie = `${the.visitor.cookie()}; placard-zone=Asia%2FTokyo`
  const zoneless = { ...FORM, zone: '', from: wall(12) }
  expect((await post('publish', zoneless, { cookie })).status).toBe(200)
  expect((await board()).scheduled).toMatchObject([{ startsAt: inHours(3) }])
  const fieldIn = (html: string, id: string) => {
    const field = new RegExp(`<input[^>]* id="${id}"[^>]*>`).exec(html)
    return /value="([^"]*)"/.exec(field?.[0] ?? '')?.[1]
  }
  const tokyo = { ...FORM, text: 'no', zone: 'Asia/Tokyo', until: wall(30) }
  const { text } = await post('preview', tokyo)
  expect([fieldIn(text, 'zone'), fieldIn(text, 'until')]).toEqual(['Asia/Tokyo', wall(30)])
  await post('publish', { ...FORM, until: wall(30) })
  const { id } = await open()
  for (const [zone, hours] of Object.entries({ 'Asia%2FTokyo': 39, Nowhere: 30 })) {
    const html = await pageWith(`placard-zone=${zone}`, `/admin?edit=${id}`)
    expect(fieldIn(html, 'until'), zone).toBe(wall(hours))
  }
})

it('contract A14: the preview says what a scheduled announcement will replace at its start', async () => {
  const told = async (fields: object) => {
    const { text } = await post('preview', { ...FORM, ...fields })
    return /When it starts, it replaces the (\w+) announcement: <bdi>([^<]*)</.exec(text)?.slice(1)
  }
  await put('Up now', { expiresAt: inHours(1) })
  const { id } = await put('Black Friday', { startsAt: inHours(2), expiresAt: inHours(6) })
  expect(await told({ from: wall(0.5) })).toEqual(['post', 'Up now'])
  expect(await told({ from: wall(1) })).toBeUndefined()
  expect(await told({ from: wall(3) })).toEqual(['post', 'Black Friday'])
  expect(await told({ from: wall(7) })).toBeUndefined()
  expect(await told({ from: wall(3), type: 'coupon' })).toBeUndefined()
  expect(await told({})).toBeUndefined()
  // An edited announcement doesn't replace itself.
  expect(await told({ from: wall(3), id })).toBeUndefined()
})

it("contract A14: the form says that a time occurs twice, or that it doesn't exist", async () => {
  const said = async (zone: string, from: string) => {
    const { status, text } = await post('publish', { ...FORM, zone, from })
    expect(status).toBe(422)
    return text
  }
  const twice = await said('Europe/Berlin', '2027-10-31T02:30')
  expect(twice).toContain('This hour occurs twice')
  expect(twice).toMatch(/UTC and choose 12:30\sAM or 1:30\sAM/)
  // In UTC, it is still the day before.
  const before = /choose Sat, Apr 3, 2027, 1:30\sPM or Sat, Apr 3, 2027, 2:30\sPM/
  expect(await said('Pacific/Auckland', '2027-04-04T02:30')).toMatch(before)
  const skipped = await said('Europe/Berlin', '2027-03-28T02:30')
  expect(skipped).toMatch(/Choose 1:30\sAM or 3:30\sAM/)
  const days = /Choose Thu, Apr 29, 2027, 11:30\sPM or Fri, Apr 30, 2027, 1:30\sAM/
  expect(await said('Africa/Cairo', '2027-04-30T00:30')).toMatch(days)
  expect(await said('Mars/Base', wall(1))).toContain('No time zone has that name')
  expect((await board()).scheduled).toEqual([])
})

it("contract A1: the admin's writes count towards the rate limit like any others, but previews don't", async () => {
  const from = { 'X-Forwarded-For': nextAddress() }
  for (let i = 0; i < 30; i++) {
    expect((await post('preview', FORM, from)).status).toBe(200)
  }
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await post('publish', FORM, from)).status)
  expect(statuses).toEqual([...Array(10).fill(200), 429])
  for (const path of ['publish', 'withdraw', 'undo']) {
    const form = path === 'publish' ? FORM : { id: '1' }
    const { status, headers, text } = await post(path, form, from)
    const [, said] = /Try again in (\d+) s/.exec(text) ?? []
    expect([status, headers.get('retry-after')]).toEqual([429, said])
  }
})

it('contract A6: a text of several lines becomes one line', async () => {
  const text = 'We wrote\r\nabout  \n\n caching'
  const lines = { ...FORM, text, tag: 'de', translation: 'Neu\thier' }
  expect((await post('publish', lines)).status).toBe(200)
  expect(await current(the.mount)).toMatchObject({
    text: 'We wrote about caching',
    translations: { de: 'Neu hier' },
  })
})

it('contract A16: a preview warns of an unknown icon, and changes nothing', async () => {
  const { text } = await post('preview', { ...FORM, icon: 'no-such-icon' })
  expect(text).toContain('There is no icon')
  expect(text.match(/class="placard"/g)).toHaveLength(2)
  expect(await board()).toEqual({ published: [], scheduled: [] })
  expect(the.mount.log.lines.some(({ fields }) => fields.path === '/admin/preview')).toBe(false)
})

it('contract A14, A16: a preview says how a past start or a link without https:// is read, and the announcement is published that way', async () => {
  const slug = 'https://www.mein-laden.de/sale'
  for (const [fields, told, published] of [
    [{ from: '2020-01-01T00:00' }, 'will go live immediately', {}],
    [{ slug: 'www.mein-laden.de/sale' }, `Links to \u2068${slug}`, { slug }],
  ] as const) {
    const { text } = await post('preview', { ...FORM, ...fields })
    expect(text).toContain(told)
    expect(text).toContain('>Publish</button>')
    await post('publish', { ...FORM, ...fields })
    expect(await current(the.mount)).toMatchObject({ text: FORM.text, ...published })
  }
})

const WRITES = ['publish', 'withdraw', 'undo', 'preview', 'session', 'signout']
const FOREIGN: [string, Extra][] = [
  ['from another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['from another subdomain', { 'Sec-Fetch-Site': 'same-site' }],
  ['from the address bar', { 'Sec-Fetch-Site': 'none' }],
  ['without Sec-Fetch-Site and Origin', { 'Sec-Fetch-Site': undefined }],
  [
    'from another site in an old browser',
    { 'Sec-Fetch-Site': undefined, Origin: 'https://evil.test' },
  ],
  ['from a sandboxed frame', { 'Sec-Fetch-Site': undefined, Origin: 'null' }],
  ['from another port', { 'Sec-Fetch-Site': undefined, Origin: 'http://placard.test:8080' }],
]
it.each(FOREIGN)('contract O3: a form %s gets 403, for any action', async (_, headers) => {
  const { id } = await put('Up now')
  const before = [await board(), (await entries()).length]
  for (const path of WRITES) {
    const answer = await post(path, { ...FORM, secret: API_SECRET, id }, headers)
    expect(answer.status, path).toBe(403)
    expect(answer.headers.get('set-cookie')).toBeNull()
  }
  expect([await board(), (await entries()).length]).toEqual(before)
  expect(await the.visitor.isIn()).toBe(true)
})

it('contract O3: without Sec-Fetch-Site, the Origin must be that of PUBLIC_URL or, if Host names another host, on that host', async () => {
  const inFront = visitorOf(the.mount.placard, { url: 'https://placard.example' })
  await inFront.signIn(the.mount)
  for (const [origin, host, status] of [
    // If PUBLIC_URL is https, http on the same host is another origin.
    ['http://placard.example', 'placard.example', 403],
    ['https://placard.example', '10.0.0.7:3000', 200],
    ['http://10.0.0.7:3000', '10.0.0.7:3000', 200],
  ] as const) {
    const headers = { 'Sec-Fetch-Site': undefined, Origin: origin, Host: host }
    const response = await inFront.post('/admin/publish', FORM, headers)
    expect(response.status, origin).toBe(status)
    expect((await board()).published).toHaveLength(status === 200 ? 1 : 0)
  }
})

it('contract O3: no page of the admin may be framed or cached, or run foreign code', async () => {
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

it('contract O4: without a session, there is nothing to see or do', async () => {
  await put('Not for strangers')
  const before = await board()
  const stranger = visitorOf(the.mount.placard)
  for (const path of ['', '/history', '/site', '/live', '/icons']) {
    const response = await stranger.get(`/admin${path}`)
    expect(await response.text()).not.toContain('Not for strangers')
  }
  for (const path of ['publish', 'withdraw', 'undo', 'preview']) {
    expect((await stranger.post(`/admin/${path}`, FORM)).status, path).toBe(401)
  }
  expect(await board()).toEqual(before)
})

it('contract O4: the cookie opens only the admin; the API needs the bearer token', async () => {
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

it('contract A5: the admin accepts only forms, of at most 1 MiB', async () => {
  const json = { 'Content-Type': 'application/json' }
  expect((await post('publish', FORM, json)).status).toBe(415)
  const large = { ...FORM, text: 'x'.repeat(1_100_000) }
  expect((await post('publish', large)).status).toBe(413)
  expect(await board()).toEqual({ published: [], scheduled: [] })
})

it('contract W5: the admin says that un-featuring a coupon leaves its announcement published', async () => {
  await notify(the.mount, coupon('created', { name: 'Black Friday', coupon: 'BF25' }))
  const html = await page()
  expect(html).toContain('BF25')
  expect(html).toContain('Removing isFeatured in Stripe doesn’t take this down')
})

it('contract R8: each entry of the history shows which type of announcement it concerns', async () => {
  const types = async () => {
    const tags = (await page('/admin/history')).match(/class="action">.*?<time/g) ?? []
    return tags.map((tag) => Array.from(tag.matchAll(/class="tags">([^<]+)</g), ([, it]) => it))
  }
  await put('New', { type: 'product' })
  await the.mount.placard.withdraw({ type: 'product' })
  await notify(the.mount, coupon('created', { name: 'Late', coupon: 'LATE5', valid: false }))
  expect(await types()).toEqual([['Coupon'], ['Product'], ['Product']])
  // An edit may change the type of a scheduled announcement.
  const { id } = await put('Planned', { startsAt: inHours(3) })
  await post('publish', { ...FORM, id, type: 'coupon', from: wall(3) })
  expect((await types()).slice(0, 2)).toEqual([['Post', 'Coupon'], ['Post']])
})

it('contract R7: the admin shows what visitors will see at each time', async () => {
  await put('Up now', { expiresAt: inHours(2) })
  await put('Coming soon', { startsAt: inHours(4) })
  const html = await page()
  const from = Array.from(html.matchAll(/data-from="(\d+)"/g), ([, at]) => Number(at))
  expect(from).toEqual([0, 2, 4].map(inHours))
  const [, now, then, later] = html.split(/data-from=/)
  expect(now).toContain('Up now')
  expect(then).toContain('Nothing')
  expect(later).toContain('Coming soon')
})

it('/admin/live returns 204 unless something is new', async () => {
  const [, before] = /data-state="([^"]+)"/.exec(await page('/admin/live')) ?? []
  expect((await the.visitor.get(`/admin/live?now=${before}`)).status).toBe(204)
  await put('Later', { startsAt: inHours(1) })
  expect((await the.visitor.get(`/admin/live?now=${before}`)).status).toBe(200)
})

it('icons are found by name and alias, in the whole set', async () => {
  const found = (q: string, headers: Record<string, string> = {}) =>
    page(`/admin/icons?q=${q}`, headers)
  expect(await found('newspaper')).toContain('data-icon="newspaper"')
  expect(await found('edit')).toMatch(/^<div><button[^>]* data-icon="square-pen"/)
  expect(await found('%3Cscript%3E')).not.toContain('<script')
  expect(await found('zzzzzz')).toMatch(/^<div><p[^>]*>No icons found\.<\/p><\/div>$/)
  expect(await found('贈り物')).not.toContain('<button')
  // Icons are found by the words that shops use, in English and in the reader's language.
  for (const word of ['sale', 'shipping', 'coupon', 'christmas', 'price']) {
    expect(await found(word), word).toMatch(/data-icon="(badge|truck|ticket|tree|tag)-?/)
  }
  const German = await found('Versand', { 'Accept-Language': 'de' })
  expect(German).toMatch(/^<div><button[^>]* data-icon="truck"/)
  // Without a search, the list suggests icons.
  const offered = [...(await found('')).matchAll(/data-icon="([^"]+)".*?<svg[^>]*>(.*?)<\/svg>/g)]
  const names = offered.map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['gift', 'tag', 'megaphone', 'newspaper']))
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeLessThan(30)
  for (const [, name, body] of offered) expect(body, name).not.toBe('')
})

it('a person gets a page for every error, with a link back', async () => {
  for (const [path, status] of Object.entries({ nothing: 404, publish: 405 })) {
    const response = await the.visitor.get(`/admin/${path}`, { Accept: 'text/html' })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(await response.text()).toContain('href="/admin"')
  }
})

it('the admin says that it needs JavaScript', async () => {
  expect(await page()).toMatch(/<noscript>.*The admin needs JavaScript\..*<\/noscript>/s)
})

it('the admin says in which file the secret is, or that it comes from the settings, but never shows it', async () => {
  const site = async (options: object) => {
    const one = visitorOf(the.mount.placard, { url: 'http://placard.test', ...options })
    await one.signIn(the.mount)
    const html = await (await one.get('/admin/site')).text()
    expect(html).not.toContain(API_SECRET)
    return html
  }
  const kept = await site({ secretFile: '/srv/my data/event-api-secret' })
  expect(kept).toContain('EVENT_API_SECRET=$(cat &#39;/srv/my data/event-api-secret&#39;)')
  const given = await site({})
  expect(given).not.toContain('event-api-secret')
  expect(given).toContain('from the service’s settings')
})

it.each([
  [' german ', 'de'],
  ['日本語', 'ja'],
  ['', null],
  ['klingonisch', null, 'That isn’t a valid language code.'],
  ['xx', null, 'No visitor’s language matches “xx”'],
])(
  'the snippet for the site has the tag of the language %j, or none if there is no such language',
  async (language, tag, warning = '') => {
    const html = await looked({ language })
    expect(/data-lang=&quot;([^&]*)/.exec(html)?.[1] ?? null).toBe(tag)
    expect(/class="warning" role="status">([^<]*)/.exec(html)?.[1] ?? '').toContain(warning)
    expect(html.includes('class="warning"')).toBe(warning !== '')
  },
)

it('the admin can be mounted at any valid path and rejects others, and its links have no double slash', async () => {
  for (const path of ['', '/', 'admin', '/admin/', '/a b', '/:id', '/*']) {
    expect(() => visitorOf(the.mount.placard, { path }), path).toThrow(TypeError)
  }
  expect(() => visitorOf(the.mount.placard, { url: 'placard.test' })).toThrow(TypeError)
  const path = '/ops/bar'
  const elsewhere = visitorOf(the.mount.placard, { url: 'http://placard.test', path })
  const html = await (await elsewhere.get(path)).text()
  expect(html).toContain('action="/ops/bar/session"')
  expect(html).toContain('placard open --path /ops/bar --url http://placard.test')
  expect(await elsewhere.admin.createLink()).toMatch(/^http:\/\/placard\.test\/ops\/bar#/)
  const { admin } = visitorOf(the.mount.placard, { url: 'http://placard.test/' })
  expect(await admin.createLink()).toMatch(/^http:\/\/placard\.test\/admin#/)
})

it('contract O1, R8: a name given to createLink() is kept only if it can be printed', async () => {
  for (const [name, printed] of Object.entries({ ' Anna ': 'Anna', '\u202eannA': null })) {
    const visitor = visitorOf(the.mount.placard)
    const [, code = ''] = (await visitor.admin.createLink(name)).split('#')
    await visitor.post('/admin/session', { code })
    await visitor.post('/admin/publish', FORM)
    expect((await entries())[0]?.by.name ?? null).toBe(printed)
  }
})

it('contract A14: in an hour that occurs twice, either start can be chosen in UTC, as the form advises', async () => {
  const zone = 'America/Los_Angeles'
  // The clocks go back at 9:00 UTC.
  const typed = { ...FORM, zone, zoneWas: zone, from: '2027-11-07T01:30' }
  expect((await post('publish', typed)).text).toMatch(/UTC and choose 8:30\sAM or 9:30\sAM/)
  const { text } = await post('preview', { ...typed, zone: 'UTC' })
  const [from, zoneWas] = ['from', 'zoneWas'].map((name) => held(text, name))
  expect([from, zoneWas]).toEqual(['2027-11-07T08:30', 'UTC'])
  for (const [time, at] of [
    ['2027-11-07T08:30', Date.UTC(2027, 10, 7, 8, 30)],
    ['2027-11-07T09:30', Date.UTC(2027, 10, 7, 9, 30)],
  ] as const) {
    const form = { ...typed, zone: 'UTC', zoneWas: 'UTC', text: time, from: time }
    expect((await post('publish', form)).status).toBe(200)
    expect((await board()).scheduled.find((one) => one.text === time)?.startsAt).toBe(at)
  }
  // Any other time, converted to another zone and back, is the typed one again.
  const there = await post('preview', { ...typed, from: '2027-06-01T09:00', zone: 'Asia/Tokyo' })
  const tokyo = held(there.text, 'from')
  expect(tokyo).toBe('2027-06-02T01:00')
  const back = { ...typed, from: tokyo, zone, zoneWas: 'Asia/Tokyo' }
  expect(held((await post('preview', back)).text, 'from')).toBe('2027-06-01T09:00')
  // If a form doesn't say in which zone it showed its times, they count as times in the chosen zone.
  expect(
    held((await post('preview', { ...typed, zoneWas: '', from: '2027-06-01T09:00' })).text, 'from'),
  ).toBe('2027-06-01T09:00')
})

it('contract A8: a word in the icon field stands for the first suggested icon, and the form says so', async () => {
  for (const [icon, meant] of [
    ['sale', 'badge-percent'],
    ['Sale', 'badge-percent'],
    ['truck', 'truck'],
    ['ArrowDown01', 'ArrowDown01'],
  ] as const) {
    const { text } = await post('preview', { ...FORM, icon })
    expect(text.includes('Uses the icon')).toBe(icon !== meant)
    expect(text).not.toContain('There is no icon')
    expect((await post('publish', { ...FORM, icon })).status).toBe(200)
    expect((await the.mount.placard.current())?.icon).toBe(meant)
  }
  const none = { ...FORM, icon: 'qqqq' }
  expect((await post('preview', none)).text).toContain('There is no icon')
  await post('publish', none)
  expect((await the.mount.placard.current())?.icon).toBe('qqqq')
  // A stored icon stays unless its author changes it.
  await post('publish', { ...FORM, icon: 'sale', iconWas: 'sale' })
  expect((await the.mount.placard.current())?.icon).toBe('sale')
})

it('contract O3: behind a proxy that drops the port of Host, the error names two settings that help', async () => {
  const from = (Origin: string, Host: string) =>
    post('publish', FORM, { Origin, Host, 'Sec-Fetch-Site': undefined, Accept: 'text/html' })
  const { status, text } = await from('http://placard.test:8080', 'placard.test')
  expect(status).toBe(403)
  for (const said of [
    'http://placard.test:8080',
    'PUBLIC_URL',
    'proxy_set_header Host $http_host',
  ]) {
    expect(text).toContain(said)
  }
  // Nobody should set PUBLIC_URL to the address of an attacker.
  const attacked = await from('http://attacker.test', 'placard.test')
  expect(attacked.status).toBe(403)
  expect(attacked.text).toContain('didn’t come from this page')
  expect(attacked.text).not.toContain('attacker.test')
})
