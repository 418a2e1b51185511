import { describe, expect, it } from 'vitest'
import { current, DRAFT, type Mount, publish } from '../harness.ts'
import { sharedMount } from './mount.ts'

/** `translations` from the write to the wire, seen from outside. */
export function languagesSuite(name: string, make: () => Promise<Mount>): void {
  describe(`languages, ${name}`, () => {
    const mount = sharedMount(make)

    const issuesOf = async (translations: unknown) => {
      const response = await publish(mount, { ...DRAFT, translations })
      expect(response.status).toBe(400)
      return (await response.json()).issues as { path: string; message: string }[]
    }

    it('contract A15: translations are on the wire as they were sent, their tags in the usual letter case', async () => {
      const translations = {
        DE: '  Über Zwischenspeicher ',
        'pt-br': 'Sobre cache',
        ar: 'عن التخزين',
      }
      expect((await publish(mount, { ...DRAFT, translations })).status).toBe(201)
      const event = await current(mount)
      expect(event?.translations).toEqual({
        de: 'Über Zwischenspeicher',
        'pt-BR': 'Sobre cache',
        ar: 'عن التخزين',
      })
      expect(event?.text).toBe(DRAFT.text)
    })

    it('contract A15: the field is on the wire only when it is set', async () => {
      for (const translations of [undefined, null, {}]) {
        expect((await publish(mount, { ...DRAFT, translations })).status).toBe(201)
        expect(await current(mount)).not.toHaveProperty('translations')
      }
    })

    it('contract A15: `language` is on the wire in the usual letter case, and only when it is set', async () => {
      expect((await publish(mount, { ...DRAFT, language: 'EN-us' })).status).toBe(201)
      expect(await current(mount)).toMatchObject({ text: DRAFT.text, language: 'en-US' })
      expect((await publish(mount)).status).toBe(201)
      expect(await current(mount)).not.toHaveProperty('language')
    })

    it('contract A15, A11: `language` has to be a tag, and none of the translations', async () => {
      const wrong = async (language: unknown, translations?: object) => {
        const response = await publish(mount, { ...DRAFT, language, translations })
        expect(response.status, JSON.stringify(language)).toBe(400)
        const { issues } = await response.json()
        return issues.map(({ path, code }: Record<string, string>) => `${path} ${code}`)
      }
      for (const tag of ['not a tag', '', `de-x${'-abcdefgh'.repeat(11)}`]) {
        expect(await wrong(tag)).toEqual(['language not_a_language'])
      }
      for (const value of [7, null, ['de']]) {
        expect(await wrong(value)).toEqual(['language not_a_string'])
      }
      const same = await wrong('DE', { de: 'Ein Text' })
      expect(same).toEqual(['language same_language'])
      expect(await current(mount)).toBeNull()
    })

    it('contract A15: what replaces it has none of its translations', async () => {
      await publish(mount, { ...DRAFT, translations: { de: 'Text auf Deutsch' } })
      await publish(mount)
      expect(await current(mount)).not.toHaveProperty('translations')
    })

    it('contract A15, A6, A11: each text has to obey the rules, and a fault names its language', async () => {
      const issues = await issuesOf({
        de: 'x',
        fr: 'deux\nlignes',
        es: 7,
        'not a tag': 'Text here',
      })
      expect(issues.map(({ path }) => path).toSorted()).toEqual([
        'translations.de',
        'translations.es',
        'translations.fr',
      ])
      expect(await issuesOf({ 'not a tag': 'Some text' })).toMatchObject([
        { path: 'translations.not a tag', message: expect.stringContaining('BCP 47') },
      ])
      // No place asks for a tag of this length, so nobody would ever read it.
      const long = `de-x${'-abcdefgh'.repeat(11)}`
      expect(await issuesOf({ [long]: 'Ein Text' })).toMatchObject([
        { path: `translations.${long}`, message: expect.stringContaining('100') },
      ])
      expect(await issuesOf({ de: 'Ein Text', DE: 'Noch einer' })).toHaveLength(1)
      for (const wrong of ['de', 7, [], ['de']]) expect(await issuesOf(wrong)).toHaveLength(1)
    })

    it('contract A15: at most 20 languages, and 8 KiB of text in all', async () => {
      const languages = (count: number, text: string) =>
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [
            `qa${String.fromCharCode(97 + index)}`,
            text,
          ]),
        )
      expect((await publish(mount, { ...DRAFT, translations: languages(20, 'Text') })).status).toBe(
        201,
      )
      expect(await issuesOf(languages(21, 'Text'))).toMatchObject([
        { path: 'translations', message: expect.stringContaining('20') },
      ])
      // 500 letters of two bytes each: 8 times is 8,000 bytes.
      const rest = (bytes: number) => ({ ...languages(8, 'ü'.repeat(500)), de: 'x'.repeat(bytes) })
      const text = 'abc'
      const full = { ...DRAFT, text, translations: rest(8192 - 8000 - 3) }
      expect((await publish(mount, full)).status).toBe(201)
      const response = await mount.fetch('/api/events')
      expect((await response.arrayBuffer()).byteLength).toBeLessThanOrEqual(16 * 1024)
      const more = await publish(mount, { ...DRAFT, text, translations: rest(8193 - 8000 - 3) })
      expect(more.status).toBe(400)
      expect((await more.json()).issues).toMatchObject([
        { path: 'translations', message: expect.stringContaining('8192') },
      ])
    })

    it('contract A5: a repeated key or __proto__ within translations is 400', async () => {
      for (const inside of ['"de":"Text one","de":"Text two"', '"__proto__":"Some text"']) {
        const body = `{"text":"Some text","type":"post","slug":"/","translations":{${inside}}}`
        expect((await publish(mount, body)).status, inside).toBe(400)
      }
    })
  })
}
