/** The admin's message catalogues, which are loaded with the admin when somebody first opens it. */
import cities from '../../locales/cities/cities.json' with { type: 'json' }
import ar from '../../locales/messages/ar.json' with { type: 'json' }
import de from '../../locales/messages/de.json' with { type: 'json' }
import en from '../../locales/messages/en.json' with { type: 'json' }
import es from '../../locales/messages/es.json' with { type: 'json' }
import fr from '../../locales/messages/fr.json' with { type: 'json' }
import ja from '../../locales/messages/ja.json' with { type: 'json' }
import { directionOf, languageNames, lookUp, regional } from '../core/language.ts'
import { fill, type Params } from '../core/messages.ts'
import { preferredLanguages } from '../http/accept.ts'
import { formatted } from '../times/format.ts'

/**
 * The languages that the composer suggests for a translation, so that nobody has to know their tags. The composer
 * accepts every other tag too.
 */
export const SUGGESTED_LANGUAGES: readonly string[] =
  'ar bn cs da de el en es fi fr he hi hu id it ja ko nb nl pl pt-BR pt-PT ro ru sv th tr uk vi zh-Hans zh-Hant'.split(
    ' ',
  )

type Catalogue = Pick<typeof en, 'problems' | 'warnings' | 'reasons'> & {
  icons: Sentences
  admin: Omit<typeof en.admin, 'instead'> & { instead?: Sentences }
}

type Sentences = Readonly<Record<string, string>>

function wordsOf(tag: string, name: string, catalogue: Catalogue) {
  const { problems, warnings, reasons, admin, icons } = catalogue
  const { instead, ...texts } = admin
  return {
    ...texts,
    tag,
    /** The language's name in that language. */
    name,
    dir: directionOf(tag),
    /** The reader's time zone: `Europe/Berlin`. */
    zone: 'UTC',
    /** The tag for formatting times: `en-GB`. */
    times: tag,
    /** Sentences by problem code. Some are worded differently for people than for programs. */
    problems: { ...problems, ...warnings, ...instead } as Sentences,
    /** Explanations by `reason`: why a notification was ignored, or why an announcement was taken down or paused. */
    reasons: reasons as Sentences,
    /** Icon names by search word, such as `sale`. English words work in every language. */
    icons: { ...en.icons, ...icons } as Sentences,
  }
}

/** The admin's texts in one language, including the sentences for problems. */
export type Words = ReturnType<typeof wordsOf>

const ENGLISH = wordsOf('en', 'English', en)

export const LANGUAGES: readonly Words[] = [
  ENGLISH,
  wordsOf('de', 'Deutsch', de),
  wordsOf('es', 'Español', es),
  wordsOf('fr', 'Français', fr),
  wordsOf('ja', '日本語', ja),
  wordsOf('ar', 'العربية', ar),
]

const byTag = new Map(LANGUAGES.map((words) => [words.tag, words]))

/** Maps language names to tags. Computes the map when somebody first types a name instead of a tag. */
export const knownNames = () => {
  names ??= languageNames(
    SUGGESTED_LANGUAGES,
    LANGUAGES.map(({ tag }) => tag),
  )
  return names
}
let names: ReadonlyMap<string, string> | undefined

/**
 * Picks the first language that has a catalogue: the chosen one, then the browser's, then English. Times use the format
 * of the browser's region.
 */
export function wordsFor(
  chosen: string | undefined,
  acceptLanguage: string | null,
  zone: string,
): Words {
  const preferred = preferredLanguages(acceptLanguage)
  const found = [chosen ?? '', ...preferred].flatMap((tag) => lookUp(tag, byTag) ?? [])
  const [words = ENGLISH] = found
  return { ...words, zone, times: regional(words.tag, preferred) }
}

/** An instant in the reader's time zone and language. */
export const localTime = (at: number, { zone, times }: Pick<Words, 'zone' | 'times'>): string =>
  formatted(at, zone, times)

/** Adds a colon to a label as the language does: French, for example, puts a space before it. */
export const labelled = (field: string, { faults }: Words): string => fill(faults.about, { field })

/** The sentence for an issue in the reader's language. `faults` has the sentences that only the admin needs. */
export function saidOf(
  { code, message, params }: { code: string; message: string; params?: Params },
  { problems, faults, reasons }: Words,
): string {
  const sentence = problems[code] ?? (faults as Sentences)[code] ?? reasons[code]
  return sentence === undefined ? message : fill(sentence, params)
}

/** City names by language and time zone, from Unicode's CLDR, without those that match the name of the zone. */
const named: Readonly<Record<string, Sentences>> = cities

export function citiesIn(tag: string): { zone: string; city: string }[] {
  return Intl.supportedValuesOf('timeZone').map((zone) => ({
    zone,
    city: named[tag]?.[zone] ?? zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' '),
  }))
}

/** Finds the time zone of a city, named in English or the reader's language. Returns any other text unchanged. */
export function zoneOfCity(written: string, tag: string): string {
  const city = written.trim().toLowerCase()
  const known = [...citiesIn('en'), ...citiesIn(tag)]
  return known.findLast((one) => one.city.toLowerCase() === city)?.zone ?? written
}
