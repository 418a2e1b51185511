import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { Fallback } from '../core/fields.ts'
import { canonicalTag, lookUp, MAX_TAG_LENGTH } from '../core/language.ts'
import { memoize } from '../core/once.ts'
import { issuesOf } from '../core/schema.ts'
import { MAX_ACCEPT, preferredLanguages } from '../http/accept.ts'

const word = z.string().trim().min(1)
/** The bar's texts for screen readers. */
const Labels = z.strictObject({
  /** The bar's name as a landmark. */
  label: word,
  /** Says that a link opens a new tab; added to the link's text in parentheses. */
  newTab: word,
  pause: word,
  close: word,
})
const Locale = z.strictObject({
  /** The language's name in that language. */
  name: word,
  dir: z.enum(['ltr', 'rtl']),
  /** The bar's labels. Default: the shipped labels for the language, or else the English ones. */
  bar: Labels.optional(),
  /** The content of the bar while no announcement is live. Default: no bar (spec 2). */
  fallback: Fallback.nullish().transform((fallback) => fallback ?? null),
  page: z.strictObject({
    /** The site's name. */
    title: word,
    /** The page's description for search results: one sentence that makes sense by itself. */
    description: word,
    heading: word,
    lead: word,
    /** The name of the list of languages, for screen readers. */
    languages: word,
  }),
})

/** The content of a locale file. */
export type Locale = z.infer<typeof Locale> & {
  /** The BCP 47 tag, from the file's name. */
  tag: string
}

export type Locales = Awaited<ReturnType<typeof loadLocales>>

async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such folder' : `it can't be read (${code})`
    throw new Error(`LOCALES_DIR is ${directory}: ${why}`, { cause })
  }
}

/**
 * Reads and checks the locales, one JSON file each.
 *
 * @param directory default: the locales of the package
 * @throws Error that lists all faults in all files
 */
export async function loadLocales(directory: string | null = null) {
  const from = directory ?? shipped('locales')
  const files = (await filesIn(from)).filter((file) => file.endsWith('.json')).sort()
  const faults: string[] = []
  const all = new Map<string, Locale>()

  for (const file of files) {
    const path = join(from, file)
    const tag = file.slice(0, -'.json'.length)
    try {
      const parsed = Locale.safeParse(JSON.parse(await readFile(path, 'utf8')))
      if (canonicalTag(tag) !== tag)
        faults.push(`${path}: the file name must be a language tag, such as pt-BR.json`)
      else if (parsed.success) all.set(tag, { ...parsed.data, tag })
      else {
        for (const issue of issuesOf(parsed.error)) {
          faults.push(`${path}: ${issue.path || '(the whole file)'}: ${issue.message}`)
        }
      }
    } catch (error) {
      faults.push(`${path}: ${error instanceof Error ? error.message : error}`)
    }
  }

  const fallback = all.get('en') ?? all.values().next().value
  if (faults.length > 0) throw new Error(`Invalid locale files:\n${faults.join('\n')}`)
  if (!fallback) throw new Error(`There is no locale file in ${from}`)

  const byLowerCase = new Map([...all].map(([tag, locale]) => [tag.toLowerCase(), locale]))
  const negotiated = new Map<string, Locale>()

  return {
    all,
    /** Whether these are the package's own locales, whose fallbacks are only for the service's own page. */
    shipped: directory === null,
    /**
     * Picks a reader's locale: the requested one, the browser's preference, English or the first locale, in that order.
     * `de-AT` gets `de` (RFC 4647, lookup).
     */
    negotiate(wanted: string | null, acceptLanguage: string | null): Locale {
      // Cuts an overlong tag, which only an attacker would send, to one character more than `lookUp` accepts.
      const range = (wanted ?? '').slice(0, MAX_TAG_LENGTH + 1)
      const header = (acceptLanguage ?? '').slice(0, MAX_ACCEPT)
      if (negotiated.size >= MAX_NEGOTIATED) negotiated.clear()
      return memoize(negotiated, `${range} ${header}`, () => {
        const found = [range, ...preferredLanguages(header)].map((one) => lookUp(one, byLowerCase))
        return found.find((locale) => locale !== undefined) ?? fallback
      })
    },
  }
}

/** The maximum number of cached results. Negotiation takes longer than all other work for a page request. */
const MAX_NEGOTIATED = 256

/** The path of a file in this package. Resolving the package by its name works in the sources and in the build. */
export function shipped(path: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('placard/package.json'))
  return join(root, path)
}
