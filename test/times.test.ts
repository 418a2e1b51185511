import { Temporal } from 'temporal-polyfill'
import { describe, expect, it, vi } from 'vitest'
import { fromNow, inFull } from '../src/times/format.ts'
import type { TimeError, TimeOptions } from '../src/times/parse.ts'
import { endAfter, parseTime, zoneOf } from '../src/times/parse.ts'

const NOW = Date.UTC(2026, 10, 21, 8) // a Saturday
const BERLIN = 'Europe/Berlin'

const parse = (text: string, options: Partial<TimeOptions> = {}) =>
  parseTime(text, { name: '--from', zone: BERLIN, now: NOW, ...options })
const utc = async (text: string, options: Partial<TimeOptions> = {}) =>
  new Date((await parse(text, options)).epochMilliseconds).toISOString()

describe('times that people write', () => {
  it.each([
    ['2027-01-04', '2027-01-03T23:00:00.000Z'],
    ['2027-01-04 09:00', '2027-01-04T08:00:00.000Z'],
    [`2027-01-04${' '.repeat(40)}09:00`, '2027-01-04T08:00:00.000Z'],
    ['2027-01-04T09:00', '2027-01-04T08:00:00.000Z'],
    ['2027-07-04 9:00', '2027-07-04T07:00:00.000Z'],
    ['tomorrow 9:00', '2026-11-22T08:00:00.000Z'],
    ['Tomorrow at 9:00', '2026-11-22T08:00:00.000Z'],
    ['tomorrow', '2026-11-21T23:00:00.000Z'],
    ['today 23:59', '2026-11-21T22:59:00.000Z'],
    ['friday 9:00', '2026-11-27T08:00:00.000Z'],
    ['sat 9:00', '2026-11-28T08:00:00.000Z'],
    ['sunday', '2026-11-21T23:00:00.000Z'],
    ['2027-01-04T09:00:00+05:30', '2027-01-04T03:30:00.000Z'],
    ['2027-01-04T09:00:00z', '2027-01-04T09:00:00.000Z'],
    ['1800000000000', '2027-01-15T08:00:00.000Z'],
  ])('include %s, which means %s', async (text, instant) => {
    expect(await utc(text)).toBe(instant)
  })

  it('mean the end of the day if they are a date alone and an end is expected, even if the clocks change', async () => {
    expect(await utc('2027-01-04', { endOfDay: true })).toBe('2027-01-04T23:00:00.000Z')
    expect(await utc('2027-03-28', { endOfDay: true })).toBe('2027-03-28T22:00:00.000Z')
    // In Santiago the clocks are set forward at midnight, so that day begins at one.
    const options = { zone: 'America/Santiago' }
    expect(await utc('2027-09-05', options)).toBe('2027-09-05T04:00:00.000Z')
  })

  it.each([
    ...['', '2027-01-04 25:00', '2027-01-04 09:60', 'tomorrow 9', 'fr 9:00'],
    // Too long to be parsed: regular expressions would be slow on such text.
    `2027-01-04${' '.repeat(60)}09:00`,
    ...'soon 9:00 2027-13-01 2027-02-30 04.01.2027 99999999999999999'.split(' '),
  ])("don't include %j", async (text) => {
    await expect(parse(text)).rejects.toThrow('must be a time')
  })

  it('are rejected if they are seconds since 1970, instead of being read as milliseconds', async () => {
    await expect(parse('1798794000')).rejects.toThrow('seems to be in seconds: use 1798794000000')
  })

  it.each([
    ['2027-03-28 02:30', BERLIN, '02:30', 'use 01:30 or 03:30'],
    ['2027-03-28 02:30:15', BERLIN, '02:30:15', 'use 01:30:15 or 03:30:15'],
    // In these zones, the clocks are set forward at midnight, so the hour before is on the previous day.
    ['2027-04-30 00:30', 'Africa/Cairo', '00:30', 'use 2027-04-29 23:30 or 2027-04-30 01:30'],
    ['2027-09-05 0:10', 'America/Santiago', '00:10', 'use 2027-09-04 23:10 or 2027-09-05 01:10'],
  ])(
    "don't include %s, which doesn't exist in %s; the error says which times do",
    async (text, zone, clock, say) => {
      const refused = parse(text, { zone })
      await expect(refused).rejects.toThrow(
        `${text.slice(0, 10)} ${clock} does not exist in ${zone}`,
      )
      await expect(refused).rejects.toThrow(say)
    },
  )

  it('keep their time of day when a duration in days is added', async () => {
    const start = await parse('2027-03-27 09:00')
    const added = (span: string) => endAfter(start, span, '--for')
    const end = (span: string) => new Date(added(span).epochMilliseconds).toISOString()
    expect(end('1d')).toBe('2027-03-28T07:00:00.000Z')
    expect(end('24h')).toBe('2027-03-28T08:00:00.000Z')
    expect(end('90m')).toBe('2027-03-27T09:30:00.000Z')
    expect(end('20s')).toBe('2027-03-27T08:00:20.000Z')
    expect(end('2w')).toBe('2027-04-10T07:00:00.000Z')
    for (const span of ['', '3', 'd', '0d', '-1d', '1.5d', '3 days']) {
      expect(() => added(span)).toThrow('--for must be a duration')
    }
  })

  it('are printed in full', async () => {
    const full = async (text: string, zone = BERLIN) =>
      // Some versions of Node write a comma after the day.
      inFull((await parse(text, { zone })).epochMilliseconds, zone, NOW, 'en-GB').replaceAll(
        /(?<=\b[A-Z][a-z]{2}),/g,
        '',
      )
    expect(await full('2026-11-27 09:00')).toBe(
      'Fri 27 Nov 2026, 09:00 Europe/Berlin (08:00 UTC, in 6 days)',
    )
    expect(await full('2026-11-22 08:00', 'Asia/Tokyo')).toBe(
      'Sun 22 Nov 2026, 08:00 Asia/Tokyo (Sat 21 Nov 2026, 23:00 UTC, in 15 hours)',
    )
    expect(await full('2026-11-21 09:30')).toContain('08:30 UTC, in 30 minutes')
    expect(await full('2026-11-21 08:00', 'UTC')).toBe('Sat 21 Nov 2026, 08:00 UTC (now)')
    expect(await full('2026-11-20 09:00', 'UTC')).toBe('Fri 20 Nov 2026, 09:00 UTC (23 hours ago)')
  })

  it('may be in any time zone that exists', () => {
    expect(zoneOf('Europe/Berlin')).toBe('Europe/Berlin')
    expect(zoneOf(undefined)).toMatch(/./)
    expect(() => zoneOf('Berlin')).toThrow('There is no time zone Berlin')
  })

  it.each([
    ['', 'UTC'],
    ['Mars/Base', 'UTC'],
    ['Asia/Tokyo', 'Asia/Tokyo'],
  ])('with TZ=%s, are in the zone %s', (TZ, zone) => {
    vi.stubEnv('TZ', TZ)
    expect(zoneOf(undefined)).toBe(zone)
    vi.unstubAllEnvs()
  })
})

const ZONES = [
  ...'Europe/Berlin Europe/London America/New_York America/Sao_Paulo America/St_Johns'.split(' '),
  ...'Australia/Lord_Howe Africa/Casablanca Asia/Tokyo'.split(' '),
]

describe.each(ZONES)('every clock change in %s from 2026 to 2030', (zone) => {
  const transitions: Temporal.ZonedDateTime[] = []
  let next: Temporal.ZonedDateTime | null = Temporal.ZonedDateTime.from(`2026-01-01[${zone}]`)
  while (next && next.year < 2031) {
    next = next.getTimeZoneTransition('next')
    if (next && next.year < 2031) transitions.push(next)
  }

  it('is handled on both sides, and times in a repeated or skipped hour are rejected', async () => {
    const written = (time: Temporal.ZonedDateTime) =>
      time.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ')
    for (const transition of transitions) {
      const before = transition.subtract({ minutes: 1 })
      const change = transition.offsetNanoseconds - before.offsetNanoseconds
      for (const time of [transition.subtract({ hours: 3 }), transition.add({ hours: 3 })]) {
        const parsed = await parse(written(time), { zone })
        expect(parsed.epochMilliseconds).toBe(time.epochMilliseconds)
      }
      if (change < 0) {
        const refused = await parse(written(transition), { zone }).catch((error) => error)
        expect(refused).toMatchObject({ kind: 'twice' })
        const [earlier, later] = (refused as TimeError).choices
        expect(earlier?.epochMilliseconds).toBeLessThan(transition.epochMilliseconds)
        expect(later?.epochMilliseconds).toBe(transition.epochMilliseconds)
        expect(earlier?.toPlainDateTime().toString()).toBe(later?.toPlainDateTime().toString())
      } else if (change > 0) {
        const skipped = before.toPlainDateTime().add({ minutes: 10 })
        const text = skipped.toString({ smallestUnit: 'minute' }).replace('T', ' ')
        await expect(parse(text, { zone })).rejects.toThrow(/does not exist/)
      }
    }
    const settled = ['Asia/Tokyo', 'America/Sao_Paulo']
    expect(transitions.length).toBeGreaterThanOrEqual(settled.includes(zone) ? 0 : 3)
  })
})

it('days are counted by the calendar: on a Monday evening, Wednesday is two days away', () => {
  const monday = Date.UTC(2026, 10, 23, 18, 7)
  const wednesday = Date.UTC(2026, 10, 25, 8)
  const berlin = (at: number) => fromNow(at, monday, 'Europe/Berlin', 'en')
  expect(berlin(wednesday)).toBe('in 2 days')
  expect(berlin(Date.UTC(2026, 10, 30, 17))).toBe('in 7 days')
  expect(berlin(monday + 24 * 3_600_000)).toBe('tomorrow')
  expect(berlin(Date.UTC(2026, 10, 24, 9))).toBe('in 14 hours')
  // In Auckland it is Tuesday by then.
  expect(fromNow(wednesday, monday, 'Pacific/Auckland', 'en')).toBe('tomorrow')
  expect(berlin(monday - 30 * 3_600_000)).toBe('yesterday')
})
