import type { Draft } from '../core/announcement.ts'
import { posting } from '../core/fields.ts'
import { issuesOf } from '../core/schema.ts'

/** The parts of an announcement in a coupon's metadata (contract T5, T7). */
export interface Parts {
  text?: string | undefined
  slug?: string | undefined
  icon?: string | null | undefined
  translations: Draft['translations']
  slugs: Draft['slugs']
  /** The promotion code that customers type. */
  code?: string | undefined
  /** One sentence for each entry that was left out because it is faulty. */
  faults: string[]
}

const FIELDS: Readonly<Record<string, string>> = {
  placard_text: 'text',
  placard_link: 'slug',
  placard_icon: 'icon',
  placard_code: 'code',
}
/** The fields with a value for each language, as in `placard_text_pt_BR`. */
const BY_LANGUAGE = { text: 'translations', link: 'slugs' } as const

/**
 * Reads the parts of an announcement from a coupon's metadata, and leaves out those that the schema rejects. Only keys
 * that begin with `placard_` are read, because everything else in the metadata belongs to the shop.
 *
 * @param name used as the text if the metadata has none, because the schema requires a text
 */
export function partsIn(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  name = 'Coupon',
): Parts {
  const faults: string[] = []
  /** The metadata's entries, by the path of the field that they set in an announcement. */
  const entries = new Map<string, [key: string, value: unknown]>()
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (!key.startsWith('placard_')) continue
    // Metadata keys usually have underscores, as in `placard_text_pt_BR`, but language tags have hyphens.
    const [, what, tag] = /^placard_(text|link)_(.*)$/s.exec(key) ?? []
    const field = BY_LANGUAGE[what as keyof typeof BY_LANGUAGE]
    const path = tag === undefined ? FIELDS[key] : `${field}.${tag.replaceAll('_', '-')}`
    if (path === undefined) faults.push(`${key} is not a key that Placard knows`)
    else if (entries.has(path)) faults.push(`${key} has the same language as another entry`)
    else entries.set(path, [key, value])
  }
  const code = String(entries.get('code')?.[1] ?? '').trim() || undefined
  if (entries.delete('code') && !code) faults.push('placard_code must be a promotion code')

  let input = { text: name, type: 'coupon', slug: '#coupon', translations: {}, slugs: {} }
  let data = posting.parse(input)
  // The other languages come last, so if the texts or links are too long in total, those of the main language stay.
  const ordered = [...entries].sort(([a], [b]) => Number(a.includes('.')) - Number(b.includes('.')))
  for (const [path, [key, value]] of ordered) {
    const [field = '', tag] = path.split(/\.(.*)/s)
    const isTagged = field === 'translations' || field === 'slugs'
    const part = { [field]: isTagged ? { ...input[field], [tag ?? '']: value } : value }
    const result = posting.safeParse({ ...input, ...part })
    if (result.success) {
      input = { ...input, ...part }
      data = result.data
    } else {
      faults.push(`${key} ${issuesOf(result.error)[0]?.message}`)
      entries.delete(path)
    }
  }
  const { text, slug, icon } = data
  const own = (path: string) => entries.has(path)
  return {
    ...(own('text') && { text }),
    ...(own('slug') && { slug }),
    ...(own('icon') && { icon }),
    ...{ translations: data.translations, slugs: data.slugs, code, faults },
  }
}

/**
 * Currencies whose smallest unit in Stripe's API is not a hundredth, from Stripe's list. Intl's list differs for a
 * dozen currencies: UGX and ISK, for example, have no hundredths, but Stripe sends amounts in hundredths.
 */
const WHOLE = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/
const THOUSANDTHS = /^(bhd|jod|kwd|omr|tnd)$/

/**
 * A coupon's discount as Stripe's checkout shows it: `25.5% off`, `$10.00 off` (contract W4).
 *
 * @returns `undefined` if the coupon has no discount, or its amount has no three-letter currency code
 */
export function discountInWords(coupon: {
  percent_off?: number | null | undefined
  amount_off?: number | null | undefined
  currency?: string | null | undefined
}): string | undefined {
  const { percent_off: percent, amount_off: amount, currency } = coupon
  if (percent != null && percent > 0) {
    return `${percent.toLocaleString('en-US', { maximumFractionDigits: 2 })}% off`
  }
  if (amount == null || amount <= 0 || !/^[a-z]{3}$/i.test(currency ?? '')) return undefined
  const code = String(currency).toLowerCase()
  const digits = WHOLE.test(code) ? 0 : THOUSANDTHS.test(code) ? 3 : 2
  const format = { style: 'currency', currency: code, maximumFractionDigits: digits } as const
  return `${(amount / 10 ** digits).toLocaleString('en-US', format)} off`
}
