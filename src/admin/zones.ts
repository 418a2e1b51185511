import cities from '../../locales/cities/cities.json' with { type: 'json' }

/** Names of cities by zone and language, where they differ from those in the names of the zones (Unicode's CLDR). */
const named: Readonly<Record<string, Readonly<Record<string, string>>>> = cities

/** The city of each time zone, as a language calls it. */
export function citiesIn(tag: string): { zone: string; city: string }[] {
  return Intl.supportedValuesOf('timeZone').map((zone) => ({
    zone,
    city: named[tag]?.[zone] ?? zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' '),
  }))
}

/** By language, and then by city. Made when somebody first writes a city there. */
const zones = new Map<string, ReadonlyMap<string, string>>()

/** The zone of a city, in the reader's language or in English; what is no city as it is. */
export function zoneIn(written: string, tag: string): string {
  for (const language of [tag, 'en']) {
    let byCity = zones.get(language)
    if (!byCity) {
      byCity = new Map(citiesIn(language).map(({ zone, city }) => [city.toLowerCase(), zone]))
      zones.set(language, byCity)
    }
    const zone = byCity.get(written.trim().toLowerCase())
    if (zone !== undefined) return zone
  }
  return written
}
