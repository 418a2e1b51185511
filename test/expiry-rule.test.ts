import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePosting } from '../src/core/schema.ts'
import { DRAFT } from './harness.ts'

const NOW = Date.UTC(2027, 0, 1)
const endOf = (expiresAt: unknown) => parsePosting({ ...DRAFT, expiresAt }, NOW).draft.expiresAt

describe('contract A9: expiresAt takes', () => {
  it.each([
    ['2027-01-01T00:00:00.001Z', NOW + 1],
    ['2027-06-01T12:30:00Z', Date.UTC(2027, 5, 1, 12, 30)],
    ['2027-06-01t12:30:00z', Date.UTC(2027, 5, 1, 12, 30)],
    ['2027-06-01T12:30:00+02:00', Date.UTC(2027, 5, 1, 10, 30)],
    ['2027-06-01T12:30:00.5-09:30', Date.UTC(2027, 5, 1, 22, 0, 0, 500)],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
    [String(NOW + 1), NOW + 1],
    [NOW + 1, NOW + 1],
    ['8640000000000000', 8.64e15],
  ])('%j', (given, ms) => {
    expect(endOf(given)).toBe(ms)
  })

  it('every instant of the next thousand years, in each of its forms', () => {
    const date = fc.date({
      min: new Date(NOW + 1),
      max: new Date(NOW + 3e13),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, (instant) => {
        const ms = instant.getTime()
        const forms = [instant.toISOString(), instant.toISOString().toLowerCase(), String(ms), ms]
        for (const form of forms) expect(endOf(form)).toBe(ms)
      }),
    )
  })

  it('nothing at all: then it never ends', () => {
    expect(parsePosting(DRAFT, NOW).draft.expiresAt).toBeNull()
  })
})

describe('contract A9: expiresAt refuses', () => {
  it.each([
    ['the present instant', NOW],
    ['the past', '2026-12-31T23:59:59.999Z'],
    ['the past in another zone', '2027-01-01T01:59:00+02:00'],
    ['no offset', '2027-06-01T12:30:00'],
    ['a day alone', '2027-06-01'],
    ['no such leap day', '2027-02-29T00:00:00Z'],
    ['no such hour', '2027-06-01T25:00:00Z'],
    ['negative', -1],
    ['negative digits', '-1'],
    ['a fraction', NOW + 0.5],
    ['an exponent', '1e15'],
    ['2^53', 2 ** 53],
    ['2^53 in digits', String(2n ** 53n)],
    ['after the end of time', '8640000000000001'],
    ['many digits', '9'.repeat(40)],
    ['words', 'tomorrow'],
    ['nothing', ''],
    ['white space', ' '],
    ['null', null],
    ['a list', [String(NOW + 1)]],
    ['an object', {}],
    ['true', true],
  ])('%s, and says once what it takes (contract A11)', (_, given) => {
    const message = expect.stringMatching(/^must be (in the future|a date and time with an offset)/)
    const issue = expect.objectContaining({ path: 'expiresAt', message })
    const details = { issues: [issue] }
    expect(() => endOf(given)).toThrow(expect.objectContaining({ details }))
  })
})
