import { describe, expect, it } from 'vitest'
import { parsePosting } from '../../src/core/schema.ts'
import { type Coupon, offerOf } from '../../src/stripe/offer.ts'

const NOW = Date.UTC(2027, 0, 1)
const SECOND = NOW / 1000
const COUPON: Coupon = { id: 'FRIDAY', name: 'Black Friday', percent_off: 25, valid: true }
const PLAIN = {
  text: 'Black Friday',
  type: 'coupon',
  slug: '#coupon',
  icon: null,
  expiresAt: null,
  translations: null,
}
const judge = (parts: Coupon = {}) => offerOf({ ...COUPON, ...parts }, NOW)
const shown = (metadata: Record<string, unknown>) => {
  const offer = judge({ metadata })
  return 'shows' in offer ? { ...offer.shows, faults: offer.faults } : offer
}

describe('the judge', () => {
  it.each<[string, Coupon, object]>([
    ['without a limit', {}, { shows: PLAIN, limit: null, faults: [] }],
    [
      'one redemption before its limit',
      { max_redemptions: 5, times_redeemed: 4 },
      { shows: PLAIN, limit: { max: 5, redeemed: 4 } },
    ],
    [
      'a second before its redeem_by',
      { redeem_by: SECOND + 1 },
      { shows: { ...PLAIN, expiresAt: NOW + 1_000 } },
    ],
    ['of which Stripe does not say whether it is valid', { valid: null }, { shows: PLAIN }],
  ])('contract W5: shows a coupon %s', (_, parts, offer) => {
    expect(judge(parts)).toMatchObject(offer)
  })

  it.each<[string, Coupon, string, string]>([
    ['that is deleted', { deleted: true }, 'coupon_deleted', 'Stripe: the coupon is deleted'],
    ['at its redeem_by', { redeem_by: SECOND }, 'coupon_expired', 'Stripe: the coupon has expired'],
    [
      'that is used up, though it says that it is valid',
      { max_redemptions: 5, times_redeemed: 5 },
      'coupon_used_up',
      'Stripe: sold out (5 of 5)',
    ],
    [
      'that is used up, and no longer valid for that reason',
      { max_redemptions: 5, times_redeemed: 6, valid: false },
      'coupon_used_up',
      'Stripe: sold out (6 of 5)',
    ],
    [
      'that is not valid',
      { valid: false },
      'coupon_not_valid',
      'Stripe: the coupon is no longer valid',
    ],
  ])('contract W5: refuses a coupon %s', (_, parts, refused, because) => {
    expect(judge(parts)).toEqual({ refused, because })
  })

  it('contract W5: of a deleted coupon that has nothing but its id, it says that', () => {
    expect(offerOf({ id: 'FRIDAY', deleted: true }, NOW)).toMatchObject({
      refused: 'coupon_deleted',
    })
  })
})

describe('metadata', () => {
  it('contract T5: without it, spec 6 to the letter: the name, #coupon, no icon', () => {
    expect(shown({ isFeatured: 'true', campaign: 'x', text: 'Not ours' })).toEqual({
      ...PLAIN,
      faults: [],
    })
  })

  it('contract T5: says text, link, icon and texts in other languages, whichever way their tags are written', () => {
    const metadata = {
      placard_text: '  A quarter off  ',
      placard_text_de: 'Ein Viertel weniger',
      placard_text_pt_BR: 'Um quarto',
      'placard_text_zh-hant-tw': '七五折優惠',
      placard_link: '/pricing',
      placard_icon: 'ticket-percent',
    }
    expect(shown(metadata)).toEqual({
      ...PLAIN,
      text: 'A quarter off',
      slug: '/pricing',
      icon: 'ticket-percent',
      translations: {
        de: 'Ein Viertel weniger',
        'pt-BR': 'Um quarto',
        'zh-Hant-TW': '七五折優惠',
      },
      faults: [],
    })
  })

  it.each([
    ['placard_text', 'ab', 'must have 3 to 500 characters (it has 2)'],
    ['placard_text', 'line\nbreak', 'must be one line'],
    ['placard_text_de', 'x'.repeat(501), 'must have 3 to 500 characters'],
    ['placard_text_not a tag', 'Some text', 'does not end in a language tag'],
    ['placard_text_', 'Some text', 'does not end in a language tag'],
    ['placard_link', 'javascript:alert(1)', 'must be a fragment'],
    ['placard_link', '', 'must have 1 to 2048 characters'],
    ['placard_icon', 'rocket ship', 'must be 1 to 64 letters'],
    ['placard_icon', true, 'must be 1 to 64 letters'],
    ['placard_texts', 'A typing error', 'is not a key that Placard knows'],
  ])('contract T5: %s: %j is left out, and it says why', (key, value, fault) => {
    const good = { placard_text_fr: 'Un quart' }
    expect(shown({ ...good, [key]: value })).toEqual({
      ...PLAIN,
      translations: { fr: 'Un quart' },
      faults: [expect.stringContaining(`${key} ${fault}`)],
    })
  })

  it('contract T5, A15: of one language twice the first counts, and of too many languages the first 20', () => {
    expect(shown({ placard_text_pt_BR: 'First', placard_text_PT_br: 'Second' })).toMatchObject({
      translations: { 'pt-BR': 'First' },
      faults: ['placard_text_PT_br is the same language as another entry: pt-BR'],
    })
    const tags = 'de fr es it pt nl sv da fi nb pl cs sk hu ro bg el tr uk ru ja'.split(' ')
    const many = Object.fromEntries(tags.map((tag) => [`placard_text_${tag}`, `In ${tag}`]))
    expect(shown(many)).toMatchObject({ faults: ['placard_text_ja is one too many: 20 languages'] })
  })

  it('contract T5, A15: what it says could be posted, however much it is', () => {
    const tags = 'ja zh ko hi th'.split(' ')
    const metadata = Object.fromEntries(
      tags.map((tag) => [`placard_text_${tag}`, '字'.repeat(500)]),
    )
    const offer = judge({ metadata: { ...metadata, placard_text: '字'.repeat(500) } })
    if (!('shows' in offer)) throw new Error('it is not shown')
    expect(offer.faults).toEqual(['placard_text_th is one text too many: 8192 bytes in all'])
    const { expiresAt: _, ...body } = offer.shows
    expect(() => parsePosting(body, NOW)).not.toThrow()
  })
})
