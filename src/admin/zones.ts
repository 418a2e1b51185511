import cities from '../../locales/cities/cities.json' with { type: 'json' }

/** Cities by zone and language, if their names differ from the zone's name (from Unicode's CLDR). */
const named: Readonly<Record<string, Readonly<Record<string, string>>>> = cities

export function citiesIn(tag: string): { zone: string; city: string }[] {
  return Intl.supportedValuesOf('timeZone').map((zone) => ({
    zone,
    city: named[tag]?.[zone] ?? zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' '),
  }))
}

/** The zone of a city, named in the reader's language or in English. Anything else stays as it is. */
export function zoneIn(written: string, tag: string): string {
  const city = written.trim().toLowerCase()
  const cities = [...citiesIn('en'), ...citiesIn(tag)]
  return cities.findLast((one) => one.city.toLowerCase() === city)?.zone ?? written
}
