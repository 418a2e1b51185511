import { describe, expect, it, vi } from 'vitest'
import { parsePosting } from '../../src/core/schema.ts'
import { type Coupon, codeToJudge, offerOf, type PromotionCode } from '../../src/stripe/offer.ts'

const NOW = Date.UTC(2027, 0, 1)
const SECOND = NOW / 1000
const COUPON: Coupon = { id: 'FRIDAY', name: 'Black Friday', percent_off: 25, valid: true }
/** How API versions since 2025-09-30 name a promotion code's coupon. */
const NEW = { coupon: null, promotion: { coupon: 'FRIDAY' } }
const PLAIN = {
  ...{ text: 'Black Friday', type: 'coupon', slug: '#coupon' },
  ...{ icon: null, expiresAt: null, translations: null },
}
/** A limit of five redemptions, of which this many are used. */
const sold = (count: number): Coupon => ({ max_redemptions: 5, times_redeemed: count })
const judge = (parts: Coupon = {}) => offerOf({ ...COUPON, ...parts }, NOW)
const shown = (metadata: Record<string, unknown>) => {
  const offer = judge({ metadata })
  return 'shows' in offer ? { ...offer.shows, faults: offer.faults } : offer
}

describe('offerOf()', () => {
  it.each<[string, Coupon, object]>([
    ['without a limit', {}, { shows: PLAIN, limits: [], faults: [] }],
    ['one redemption before its limit', sold(4), { limits: [{ max: 5, redeemed: 4 }] }],
    ['one second before its end', { redeem_by: SECOND + 1 }, { shows: { expiresAt: NOW + 1_000 } }],
    ["whose validity Stripe doesn't state", { valid: null }, { shows: PLAIN }],
    ['with space around its name', { name: ' Black Friday ' }, { shows: PLAIN }],
    [
      'without a name, and publishes its discount',
      { name: '' },
      { shows: { ...PLAIN, text: '25% off' } },
    ],
    [
      'with neither name nor discount, but publishes nothing',
      { name: '', percent_off: null, redeem_by: SECOND + 1 },
      { unshowable: 'no_displayable_text', limits: [], endsAt: NOW + 1_000 },
    ],
  ])('contract W5: accepts a coupon %s', (_, parts, offer) => {
    expect(judge(parts)).toMatchObject(offer)
  })

  it.each<[string, Coupon, string]>([
    ['that is deleted', { deleted: true }, 'coupon_deleted'],
    ['at its redeem_by', { redeem_by: SECOND }, 'coupon_expired'],
    ['that is used up, though Stripe calls it valid', sold(5), 'coupon_used_up'],
    [
      'that is used up and that Stripe calls invalid',
      { ...sold(6), valid: false },
      'coupon_used_up',
    ],
    ['that Stripe calls invalid', { valid: false }, 'coupon_not_valid'],
  ])('contract W5: refuses a coupon %s', (_, parts, refused) => {
    expect(judge(parts)).toEqual({ refused })
  })
})

const CODE: PromotionCode = { active: true, coupon: 'FRIDAY', customer: null }
const withCodes = (...codes: Partial<PromotionCode>[]) =>
  offerOf(
    { ...COUPON, metadata: { placard_code: 'SALE' } },
    NOW,
    codes.map((parts) => ({ ...CODE, ...parts })),
  )

describe('offerOf(), given promotion codes,', () => {
  it.each<[string, Partial<PromotionCode>, string]>([
    ['that is inactive', { active: false }, 'code_inactive'],
    ['at its end', { active: false, expires_at: SECOND }, 'code_expired'],
    ['that is used up', { max_redemptions: 3, times_redeemed: 3 }, 'code_used_up'],
    [
      'that is inactive, as API versions since 2025-09-30 send it',
      { ...NEW, active: false },
      'code_inactive',
    ],
  ])('contract T7: refuses a code %s', (_, parts, refused) => {
    expect(withCodes(parts)).toEqual({ refused })
  })

  it("contract T7: applies the code's limit as well as the coupon's, and the earlier of their ends", () => {
    const codes = [{ ...CODE, max_redemptions: 9, expires_at: SECOND + 60 }]
    const limited = { ...COUPON, max_redemptions: 5, redeem_by: SECOND + 90 }
    expect(offerOf(limited, NOW, codes)).toMatchObject({
      limits: [
        { max: 5, redeemed: 0 },
        { max: 9, redeemed: 0 },
      ],
      shows: { expiresAt: NOW + 60_000 },
      endsAt: NOW + 60_000,
    })
    expect(offerOf({ ...limited, redeem_by: SECOND + 30 }, NOW, codes)).toMatchObject({
      endsAt: NOW + 30_000,
    })
  })

  it('contract T7: uses the active one of several codes or, if none is active, the newest', () => {
    expect(withCodes({ active: false }, { max_redemptions: 7 })).toMatchObject({
      limits: [{ max: 7, redeemed: 0 }],
    })
    const older = { active: false, expires_at: SECOND - 1 }
    expect(withCodes({ active: false }, older)).toEqual({ refused: 'code_inactive' })
  })

  it.each<[string, Partial<PromotionCode>[]]>([
    ['no code', []],
    ['a code of another coupon', [{ coupon: 'OTHER', active: false }]],
    [
      'a code of another coupon, as API versions since 2025-09-30 send it',
      [{ ...NEW, promotion: { coupon: 'OTHER' } }],
    ],
    ['a code for a single customer', [{ customer: 'cus_1', active: false }]],
    ["a code for a customer's account", [{ customer_account: 'acct_1', active: false }]],
  ])('contract T7: judges only the coupon, with a warning, if Stripe returns %s', (_, codes) => {
    expect(withCodes(...codes)).toMatchObject({
      limits: [],
      faults: [
        codes.length > 0
          ? 'placard_code names a promotion code for another coupon or a single customer'
          : "placard_code names a promotion code that doesn't exist in Stripe",
      ],
    })
  })

  it('contract T7: refuses a deleted coupon as deleted, whatever the state of its code', () => {
    const coupon = { ...COUPON, deleted: true, metadata: { placard_code: 'SALE' } }
    expect(offerOf(coupon, NOW, [{ ...CODE, active: false }])).toEqual({
      refused: 'coupon_deleted',
    })
    expect(codeToJudge(coupon, NOW)).toBeUndefined()
    expect(codeToJudge({ ...coupon, deleted: false }, NOW)).toBe('SALE')
  })
})

/** Metadata with the same text in each of these languages. */
const inEach = (tags: string, text: string) =>
  Object.fromEntries(tags.split(' ').map((tag) => [`placard_text_${tag}`, text]))
const LONGEST = '字'.repeat(500)

describe("a coupon's metadata", () => {
  it('contract T5: without our keys has no effect: the text is the name, the link #coupon, and there is no icon', () => {
    expect(shown({ isFeatured: 'true', campaign: 'x', text: 'Not ours' })).toEqual({
      ...PLAIN,
      faults: [],
    })
  })

  it('contract T5: sets the text, link, icon and translations, with language tags in any notation', () => {
    const metadata = {
      placard_text: '  A quarter off  ',
      placard_text_de: 'Ein Viertel weniger',
      placard_text_pt_BR: 'Um quarto',
      'placard_text_zh-hant-tw': '七五折優惠',
      placard_link: '/pricing',
      placard_link_de: '/de/preise',
      placard_link_pt_BR: ' /pt ',
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
      slugs: { de: '/de/preise', 'pt-BR': '/pt' },
      faults: [],
    })
  })

  it.each([
    ['placard_text', 'ab', 'must have 3 to 500 characters (it has 2)'],
    ['placard_text', 'line\nbreak', 'must be a single line'],
    ['placard_text_de', 'x'.repeat(501), 'must have 3 to 500 characters'],
    ['placard_text_not a tag', 'Some text', 'must be a BCP 47 language tag'],
    ['placard_text_', 'Some text', 'must be a BCP 47 language tag'],
    ['placard_link', 'javascript:alert(1)', 'must be a fragment'],
    ['placard_link', '', 'must have 1 to 2048 characters'],
    ['placard_link_de', 'javascript:alert(1)', 'must be a fragment'],
    ['placard_link_de', '//evil', 'must include the scheme'],
    ['placard_link_', '/x', 'must be a BCP 47 language tag'],
    ['placard_links', '/x', 'is not a key that Placard knows'],
    ['placard_icon', 'rocket ship', 'must be the name of a Lucide icon'],
    ['placard_link', true, 'must be a string'],
    ['placard_code', ' ', 'must be a promotion code'],
    ['placard_texts', 'A typing error', 'is not a key that Placard knows'],
  ])('contract T5: loses %s if that is %j, and a fault says why', (key, value, fault) => {
    const good = { placard_text_fr: 'Un quart' }
    expect(shown({ ...good, [key]: value })).toEqual({
      ...PLAIN,
      translations: { fr: 'Un quart' },
      faults: [expect.stringContaining(`${key} ${fault}`)],
    })
  })

  it('contract T5, A15: sets only the first of two texts in one language, and only the first 20 languages', () => {
    expect(shown({ placard_text_pt_BR: 'First', placard_text_PT_br: 'Second' })).toMatchObject({
      translations: { 'pt-BR': 'First' },
      faults: ['placard_text_PT_br must not repeat a language (pt-BR is already used)'],
    })
    expect(shown({ placard_link_de: '/1', placard_link_DE: '/2' })).toMatchObject({
      slugs: { de: '/1' },
      faults: ['placard_link_DE must not repeat a language (de is already used)'],
    })
    const tags = 'de fr es it pt nl sv da fi nb pl cs sk hu ro bg el tr uk ru ja'
    expect(shown(inEach(tags, 'In another language'))).toMatchObject({
      faults: ['placard_text_ja must have at most 20 languages (it has 21)'],
    })
  })

  it('contract T5, A15: may have thousands of surplus languages; each is validated together with the first 20 only', () => {
    const tags = Array.from({ length: 3_000 }, (_, i) => `en_x_${i}`).join(' ')
    const canonicalized = vi.spyOn(Intl, 'getCanonicalLocales')
    const { faults } = shown(inEach(tags, 'In another language')) as { faults: readonly string[] }
    // Validating all of them again for each one would block the service.
    expect(canonicalized.mock.calls.length).toBeLessThanOrEqual(3_000 * 21)
    canonicalized.mockRestore()
    expect(faults).toHaveLength(2_980)
  })

  it('contract T5, A15: loses texts beyond 8 KiB, so that the API would accept the rest', () => {
    const metadata = { ...inEach('ja zh ko hi th', LONGEST), placard_text: LONGEST }
    const offer = judge({ metadata })
    if (!('shows' in offer)) throw new Error('it is not shown')
    expect(offer.faults).toEqual([
      'placard_text_th and `text` together must not exceed 8192 bytes in UTF-8 (currently 9000)',
    ])
    const { expiresAt: _, ...body } = offer.shows
    expect(() => parsePosting(body, NOW)).not.toThrow()
  })

  it('contract T5, A15: drops an invalid entry before checking the rest for length and repeated languages', () => {
    const metadata = inEach('ja zh ko hi', LONGEST)
    expect(shown({ placard_text_x: '字'.repeat(1_000), ...metadata })).toMatchObject({
      translations: { ja: LONGEST, zh: LONGEST, ko: LONGEST, hi: LONGEST },
      faults: ['placard_text_x must have 3 to 500 characters (it has 1000)'],
    })
    expect(shown({ placard_text_de: 'x', placard_text_DE: 'Hallo' })).toMatchObject({
      translations: { de: 'Hallo' },
      faults: ['placard_text_de must have 3 to 500 characters (it has 1)'],
    })
  })
})
