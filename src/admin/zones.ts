import cities from '../../locales/cities/cities.json' with { type: 'json' }

/** Cities by zone and language, if their names differ from the zone's name (from Unicode's CLDR). */
const named: Readonly<Record<string, Readonly<Record<string, string>>>> = cities

export function citiesIn(tag: string): { zone: string; city: string }[] {
  return Intl.supportedValuesOf('timeZone').map((zone) => ({
    zone,
    city: named[tag]?.[zone] ?? zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' '),
  }))
}

/** By language, then by city. Made when somebody first types a city in that language. */
const zones = new Map<string, ReadonlyMap<string, string>>()

/** The zone of a city, named in the reader's language or in English. Anything else stays as it is. */
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
