import { readdirSync } from 'node:fs'
import { jsx } from 'hono/jsx'
import { describe, expect, it } from 'vitest'
import { Time } from '../src/admin/views/time.tsx'
import { LANGUAGES, saidOf, type Words } from '../src/admin/words.ts'
import { fill, isCode, type Params } from '../src/core/messages.ts'
import { inFull } from '../src/times/format.ts'
import { FORM, signedIn } from './admin/visitor.ts'
import { answerOf, coupon, inMemory, notify } from './harness.ts'

const NOW = Date.UTC(2027, 0, 1)
const [en, ...others] = LANGUAGES as [Words, ...Words[]]

describe('messages about a draft', () => {
  it('write times in the format of their language', () => {
    const written = (tag: string) => {
      const words = LANGUAGES.find((one) => one.tag === tag) as Words
      return String(jsx(Time, { at: Date.UTC(2027, 0, 4, 9), words }))
    }
    expect(written('en')).toMatch(/ 9:00\sAM UTC/)
    expect(written('de')).toContain(' 09:00 UTC')
    expect(written('fr')).toContain(' 09:00 UTC')
    expect(inFull(NOW + 9 * 3_600_000, 'UTC', NOW, 'en')).toMatch(/, 9:00\sAM UTC \(in 9 hours\)$/)
  })

  it('contract A11: fall back to English if a language lacks the sentence', () => {
    const issue = { code: 'not_nice', message: 'must be nice' }
    expect(saidOf(issue, others[0] as Words)).toBe('must be nice')
  })

  it("contract A11, A16: are in the reader's language in the preview", async () => {
    const { visitor } = await signedIn()
    for (const { tag, problems } of others) {
      const preview = async (fields: object) => {
        const headers = { 'Accept-Language': tag }
        return (await visitor.post('/admin/preview', { ...FORM, ...fields }, headers)).text()
      }
      expect(await preview({ until: '2020-01-01T00:00' })).toContain(problems.not_in_future)
      const unknown = fill(problems.unknown_icon ?? '', { name: 'a-b' })
      expect(await preview({ icon: 'a-b' })).toContain(unknown)
    }
  })
})

it('contract R8: the admin has a sentence that says why a stale notification was ignored', async () => {
  const mount = inMemory()
  await notify(mount, coupon('created', { name: 'Black Friday' }))
  const late = coupon('created', { name: 'Too late' }, 1)
  const { outcome, reason } = await answerOf(notify(mount, late))
  expect(outcome).toBe('ignored')
  expect(en.reasons).toHaveProperty(reason)
})

/** Every text of a language, by its path. */
function textsOf(words: object, path = ''): [path: string, text: string][] {
  return Object.entries(words).flatMap(([key, value]): [string, string][] => {
    const at = path === '' ? key : `${path}.${key}`
    return typeof value === 'string' ? [[at, value]] : textsOf(value, at)
  })
}

/** Leaves out what isn't shown as it is: the icons' synonyms and parts of times. */
const readIn = ({ icons: _, zone: __, times: ___, ...words }: Words) => words
const english = textsOf(readIn(en))

/** The parameters of a text: the names in braces. */
const variesIn = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted()

/** Texts that are rightly identical to the English ones. */
const SAME = [
  ...['de', 'es', 'fr', 'ja'].map((tag) => `${tag} dir`),
  ...['de', 'es', 'ar'].map((tag) => `${tag} faults.about`),
  ...['compose.text', 'compose.link', 'preview.original'].map((path) => `de ${path}`),
  'es preview.original',
  'fr compose.type',
]

describe("the admin's texts", () => {
  it('exist in each language of the public page', () => {
    const page = readdirSync('locales')
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.replace('.json', ''))
    expect(LANGUAGES.map(({ tag }) => tag)).toEqual(['en', 'de', 'es', 'fr', 'ja', 'ar'])
    expect(LANGUAGES.map(({ tag }) => tag).toSorted()).toEqual(page.toSorted())
  })

  it('are all translated, except those that are rightly identical to the English ones', () => {
    const same = others.flatMap((words) => {
      const texts = new Map(textsOf(readIn(words)))
      const alike = english.filter(([path, text]) => texts.get(path) === text)
      return alike.map(([path]) => `${words.tag} ${path}`)
    })
    expect(same.toSorted()).toEqual(SAME.toSorted())
  })

  it.each(LANGUAGES)(
    'in $name have the same parameters as in English, and no stray code or white space',
    (words) => {
      // The admin's script replaces the first number with the current count.
      expect(words.compose.length).toMatch(/^\{count\}/)
      const texts = new Map(textsOf(readIn(words)))
      for (const [path, text] of english) {
        const its = texts.get(path)
        expect(variesIn(its), path).toEqual(path.endsWith('not_a_language') ? [] : variesIn(text))
        expect(its?.trim(), path).toBe(its)
        expect(its, path).not.toBe('')
        expect(its, path).not.toMatch(/\$\{|undefined/)
      }
    },
  )

  it.each(LANGUAGES)('contract A11: in $name put each value in the right place', ({ problems }) => {
    const said = (code: string, params: Params) => fill(problems[code] ?? '', params)
    const length = said('wrong_length', { min: 3, max: 500, count: 712 })
    expect(length).toMatch(/\b3\b.*\b500\b.*\b712\b/)
    expect(said('translation_cut_off', { tags: 'pt-BR', letters: 88 })).toMatch(/pt-BR.*\b88\b/)
  })

  it.each(LANGUAGES)('contract A11: in $name have sentences only for codes that exist', (words) => {
    // The types don't check the codes of `instead`, the admin's own wordings.
    expect(Object.keys(words.problems).filter((code) => !isCode(code))).toEqual([])
  })

  it.each(LANGUAGES)('in $name end in a colon where the English ones do', (words) => {
    const leads = (texts: typeof english) =>
      texts.filter(([, text]) => /[:：]$/.test(text)).map(([path]) => path)
    expect(leads(textsOf(readIn(words)))).toEqual(leads(english))
  })

  it('in French never allow a line break before punctuation', () => {
    const french = LANGUAGES.find(({ tag }) => tag === 'fr') as Words
    for (const [path, text] of textsOf(readIn(french))) {
      expect(text, path).not.toMatch(
        / [:;?!»]| %(?!\d)|« |[^\s\u202f][;?!]|[^\s\u00a0:]»|\p{L}:(?!\/\/| ou |\.)/u,
      )
    }
  })
})

describe('the admin of an app that has no stream and where no process stays alive', () => {
  it('says neither that open pages show a change nor that a sign-in link was printed', () => {
    const promised = [en.done.published, en.now.emptyHint, en.signIn.how, en.site.lead].join(' ')
    expect(promised).not.toMatch(/open page|within|start|follow/)
  })

  it.each(LANGUAGES)('in $tag names only guides that exist', ({ site: { nextNote } }) => {
    const named = [...nextNote.matchAll(/[a-z]+\.md/g)].map(String)
    expect(named).toEqual(['next.md', 'serverless.md', 'frameworks.md', 'embed.md'])
    expect(readdirSync('docs')).toEqual(expect.arrayContaining(named))
  })
})
