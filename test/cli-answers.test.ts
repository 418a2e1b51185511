import { describe, expect, it } from 'vitest'
import { helpFor } from '../src/cli/help.ts'
import { commandLine } from './command-line.ts'
import { SECRETS } from './harness.ts'
import { running } from './running.ts'
import { site } from './site.ts'
import { temporaryDirectory } from './stores.ts'

/** Starts a service for one test's commands alone, whose rate limit has counted no write yet (contract A1). */
async function fresh() {
  const { port, service } = await running()
  const { url } = service
  const environment = { ...SECRETS, PORT: String(port) }
  const live = async () => (await (await fetch(`${url}/api/events`)).json()).event
  return { ...commandLine(temporaryDirectory(), environment), url, live }
}

describe('placard undo', () => {
  it("contract R9: names the entry that can't be undone, the reason, and the entry to undo instead", async () => {
    const { done, refused, url } = await fresh()
    await done('publish', 'The first')
    await done('publish', 'The second')
    await done('undo')
    const further = `To go further back, run: npx --no -- placard undo 1 --url ${url.replace('localhost', '127.0.0.1')}`
    expect(await refused(1, 'undo')).toBe(
      `placard: Entry 2 (replaced “The second”) can't be undone: entry 3 has already undone it. ${further}\n`,
    )
    expect(await refused(1, 'undo', '2')).toContain('Entry 2 (replaced “The second”)')
    await done('undo', '1')
    expect(await refused(1, 'undo')).toContain('No older entry can be undone')
    await done('publish', 'The third')
    expect(await refused(1, 'undo', '1')).toMatch(/Entry 1 .*: entry 4 has already undone it\./)
    expect(await refused(1, 'undo', '99')).not.toContain('can’t be undone')
  })

  it('contract R9: refuses to undo the publication of an announcement that has ended', async () => {
    const { done, refused } = await fresh()
    await done('publish', 'For a second', '--for', '3s')
    await expect.poll(() => done('current')).toBe('Nothing is live.\n')
    expect(await refused(1, 'undo')).toMatch(
      /^placard: Entry \d \(\w+ “For a second”\) can't be undone: /,
    )
  })
})

describe('the output of a command', () => {
  it('contract A13: withdraw says what visitors see now, and fails for an unknown id', async () => {
    const { done, json, placard } = await fresh()
    await done('publish', 'The older', '--type', 'product', '--slug', '/older')
    await done('publish', 'The newer', '--type', 'post')
    expect(await done('withdraw', '--type', 'post')).toBe(
      'Taken down.\n  Showing now: The older → /older\n',
    )
    expect(await done('withdraw', '--type', 'post')).toContain('No post announcement is published.')
    const { deleted } = await json('withdraw', '--type', 'product')
    expect(deleted).toBe(1)
    expect(await done('withdraw', '--type', 'post')).toContain('Nothing is live now.')
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await placard('withdraw', '--id', 'unknown', ...more)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('has the id unknown')
    }
  })

  it('contract A13: withdraw by type says how many of the type are still scheduled', async () => {
    const { done } = await fresh()
    await done('publish', 'Later', '--type', 'product', '--from', '2099-01-01')
    expect(await done('withdraw', '--type', 'coupon')).not.toContain('scheduled')
    expect(await done('withdraw', '--type', 'product')).toMatch(/^ {2}Still scheduled: 1\. /m)
  })

  it.each(['live', 'hidden', 'scheduled'])(
    'contract A18: edit of a %s announcement prints the new end',
    async (kind) => {
      const { done, json } = await fresh()
      const from = kind === 'scheduled' ? ['--from', '2099-01-01'] : []
      const { id } = await json('publish', 'The text', '--type', 'post', ...from)
      if (kind === 'hidden') await done('publish', 'In front of it', '--type', 'product')
      const said = await done('edit', id, '--until', '2099-05-06', '--zone', 'UTC')
      expect(said).toMatch(/^Saved\.\n/)
      expect(said).toMatch(/^ {2}Ends .*7 May 2099/m)
      expect(said).not.toContain('It replaced')
      expect(await done('edit', id, '--until', 'none')).not.toContain('Ends')
    },
  )
})

describe('arguments that a shell rewrites, or that start with a dash', () => {
  it("contract A6: a text may start with a dash, and so may an option's value", async () => {
    const { done, live, json } = await fresh()
    for (const text of [
      '-25% off',
      '-- Sale --',
      '--25 % off everything',
      '-50 %: until Monday',
      '- new -',
    ]) {
      await done('publish', text)
      expect(await live()).toMatchObject({ text })
    }
    await done('publish', '--slug', '/x', '--', '-25% off again')
    expect(await live()).toMatchObject({ text: '-25% off again', slug: '/x' })
    const { id } = await live()
    await done('edit', id, '-30% off')
    expect(await live()).toMatchObject({ id, text: '-30% off' })
    await json('simulate', 'coupon.created', '--name', '-40% off')
    expect(await live()).toMatchObject({ text: '-40% off' })
  })

  it.each([
    [['publish', '-x'], "Unknown option '-x'"],
    [['publish', '--slgu', '/x', 'Text'], 'Did you mean --slug?'],
    [['publish', '--slgu=/a b', 'Text'], 'Did you mean --slug?'],
    [['publish', 'Text', '--slug', 'C:/Program Files/Git/blog/x'], 'MSYS_NO_PATHCONV=1'],
    [['edit', 'id', '--slug', 'D:\\msys64\\blog\\x'], 'MSYS_NO_PATHCONV=1'],
    [['open', '--path', 'C:/Program Files/Git/internal/admin'], '--path arrived as "C:/Program'],
  ])('contract Settings: the error says what is wrong with %j', async (words, problem) => {
    const { refused } = commandLine(temporaryDirectory(), SECRETS)
    expect(await refused(2, ...words)).toContain(problem)
  })
})

describe('placard simulate', () => {
  it('contract T5: sets metadata', async () => {
    const { done, live } = await fresh()
    const entries = {
      placard_text: 'Buy two, pay=one',
      placard_text_de: 'Zwei zum Preis von einem',
      placard_link: '/summer',
      placard_icon: 'sun',
      placard_code: 'SUMMER',
    }
    const metadata = Object.entries(entries).flatMap(([key, value]) => [
      '--metadata',
      `${key}=${value}`,
    ])
    await done('simulate', 'coupon.created', ...metadata)
    expect(await live()).toMatchObject({
      text: 'Buy two, pay=one',
      slug: '/summer',
      icon: 'sun',
      translations: { de: 'Zwei zum Preis von einem' },
    })
    // The coupon is featured by default; `isFeatured` in the metadata overrides that.
    expect(await done('simulate', 'coupon.created', '--metadata', 'isFeatured=yes')).toContain(
      'not_featured',
    )
  })

  it.each(['placard_text', '=x', `${'k'.repeat(41)}=x`, `k=${'x'.repeat(501)}`])(
    'contract T5: rejects the metadata %s',
    async (entry) => {
      const { refused } = commandLine(temporaryDirectory(), SECRETS)
      const error = await refused(2, 'simulate', 'coupon.created', '--metadata', entry)
      expect(error).toContain('--metadata must be KEY=VALUE')
    },
  )
})

describe('an error', () => {
  const issues = [{ path: 'text', code: 'wrong_length', message: 'must have 3 to 500 characters' }]

  it.each<[number, object]>([
    [400, { error: 'Invalid request body', issues }],
    [409, { error: 'The event has changed' }],
    [412, { error: 'Your copy is out of date' }],
  ])(
    'contract Settings: names neither the service nor the source of the secret after a %s',
    async (status, body) => {
      const { url } = await site(status, {}, JSON.stringify(body))
      const { refused } = commandLine(temporaryDirectory(), SECRETS)
      expect(await refused(1, 'publish', 'xy', '--url', url)).not.toMatch(/Called|secret/)
    },
  )

  it.each([401, 403, 404, 503])(
    'contract Settings: names the service and the source of the secret after a %s',
    async (status) => {
      const { url } = await site(status, {}, '{"error":"No"}')
      const { refused } = commandLine(temporaryDirectory(), SECRETS)
      const error = await refused(1, 'publish', 'xy', '--url', url)
      expect(error).toContain(`Called ${url} with the secret from the environment`)
    },
  )

  it('contract A4: a 401 has a code that says what is wrong with the Authorization header', async () => {
    const { url } = await fresh()
    const code = async (headers: Record<string, string>) =>
      (await (await fetch(`${url}/api/events/slots`, { headers })).json()).code
    expect(await code({})).toBe('no_token')
    for (const Authorization of ['x', 'Basic eA==', 'Bearer', 'Bearerx', 'token x']) {
      expect(await code({ Authorization })).toBe('no_bearer')
    }
    expect(await code({ Authorization: 'Bearer x' })).toBe('wrong_token')
  })

  it('contract O4: says that there is no admin at the path that `open` requested', async () => {
    const { url } = await site(404, {}, '{"error":"Not found"}')
    const { refused } = commandLine(temporaryDirectory(), SECRETS)
    const error = await refused(1, 'open', '--url', url, '--path', 'internal/')
    expect(error).toMatch(new RegExp(`^placard: There is no admin at ${url}/internal\\. .*--path`))
  })
})

it('contract Settings: help names the arguments of withdraw, and says when edit accepts --type', () => {
  expect(helpFor('withdraw', 'http://localhost:3000')).toMatch(
    /^placard withdraw --type TYPE \| --id ID/,
  )
  expect(helpFor('edit', 'http://localhost:3000')).toMatch(
    /--type .*only for a scheduled announcement/,
  )
})

it.each(['CET-1CEST', 'CET-1CEST,M3.5.0,M10.5.0/3', 'Europe/Atlantis', 'MEZ'])(
  'contract Settings: a TZ that the runtime takes for UTC is rejected: %s',
  async (TZ) => {
    const { url } = await site(200, {}, '{"event":null}')
    const { refused, done } = commandLine(temporaryDirectory(), { TZ })
    expect(await refused(2, 'current', '--url', url)).toContain('TZ is not the name of a time zone')
    expect(await done('current', '--url', url, '--zone', 'Europe/Berlin')).toContain('Nothing')
  },
)

it.each(['', 'UTC', 'Europe/Berlin', ':Asia/Tokyo', 'Etc/UTC'])(
  'contract Settings: a TZ that the runtime knows is accepted: %o',
  async (TZ) => {
    const { url } = await site(200, {}, '{"event":null}')
    await commandLine(temporaryDirectory(), { TZ }).done('current', '--url', url)
  },
)
