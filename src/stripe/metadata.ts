import { type Draft, posting } from '../core/announcement.ts'
import { issuesOf } from '../core/schema.ts'

/** What a coupon's metadata says about its announcement (contract T5, T7). */
export interface Parts {
  text?: string | undefined
  slug?: string | undefined
  icon?: string | null | undefined
  translations: Draft['translations']
  /** The promotion code that customers type. */
  code?: string | undefined
  /** What is wrong with an entry, a sentence each. That entry is left out. */
  faults: string[]
}

const FIELDS: Readonly<Record<string, string>> = {
  placard_text: 'text',
  placard_link: 'slug',
  placard_icon: 'icon',
  placard_code: 'code',
}

/**
 * Reads what metadata says about an announcement: what the schema of an announcement finds wrong is left out. Keys are held
 * to those that begin with `placard_`; all else in the metadata is the shop's own.
 *
 * @param name the text where the metadata has none
 */
export function partsIn(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  name = 'Coupon',
): Parts {
  const faults: string[] = []
  /** By the path of its field in an announcement. */
  const entries = new Map<string, [key: string, value: unknown]>()
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (!key.startsWith('placard_')) continue
    // In Stripe's dashboard people write keys with underscores, as in `placard_text_pt_BR`.
    const [, tag] = /^placard_text_(.*)$/s.exec(key) ?? []
    const path = tag === undefined ? FIELDS[key] : `translations.${tag.replaceAll('_', '-')}`
    if (path === undefined) faults.push(`${key} is not a key that Placard knows`)
    else if (entries.has(path)) faults.push(`${key} is the same language as another entry`)
    else entries.set(path, [key, value])
  }
  const code = String(entries.get('code')?.[1] ?? '').trim() || undefined
  if (entries.delete('code') && !code) faults.push('placard_code must be a promotion code')

  for (;;) {
    const translations: Record<string, unknown> = {}
    const input: Record<string, unknown> = { text: name, type: 'coupon', slug: '#coupon' }
    for (const [path, [, value]] of entries) {
      if (path.startsWith('translations.')) translations[path.slice('translations.'.length)] = value
      else input[path] = value
    }
    const { data, error } = posting.safeParse({ ...input, translations })
    if (data) {
      const { text, slug, icon } = data
      const own = (path: string) => entries.has(path)
      return {
        ...(own('text') && { text }),
        ...(own('slug') && { slug }),
        ...(own('icon') && { icon }),
        ...{ translations: data.translations, code, faults },
      }
    }
    const { size } = entries
    for (const { path: named, message } of issuesOf(error)) {
      // Of what is too much together, the last goes, so that texts in other languages never take the room of the text.
      const field = named === 'translations' ? [...entries.keys()].findLast(isTranslation) : named
      const [key] = entries.get(field ?? '') ?? []
      if (field === undefined || key === undefined) continue
      faults.push(`${key} ${message}`)
      entries.delete(field)
    }
    if (entries.size === size) throw error
  }
}

const isTranslation = (path: string) => path.startsWith('translations.')
