import { offerOf } from '../src/stripe/offer.ts'
import { link } from './admin.ts'
import { clientAddress, SECRET, startPlacard } from './processes.ts'
import { atMost, type Row } from './report.ts'

/** Bodies of up to 16 KiB that a careless parser would be slow to reject, or would recurse into too deeply. */
const BODIES = [
  '['.repeat(16_000),
  `{"text":${'['.repeat(8_100)}${']'.repeat(8_100)}}`,
  `${'{"a":'.repeat(2_700)}1${'}'.repeat(2_700)}`,
  `{"a":"${'\\"'.repeat(8_000)}`,
  `{${Array.from({ length: 1_600 }, (_, key) => `"${key}":1`).join()}}`,
]
/** Fields of the admin on which a careless regular expression would backtrack for a long time. */
const FIELDS = [{ text: `${' '.repeat(60_000)}x` }, { from: `${'t'.repeat(60_000)}1:` }]

/** Measures how long the service takes to handle input that is designed to be slow. */
export async function benchHostile(
  rounds: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const placard = await startPlacard({ TRUST_PROXY: '1' })
  let address = 0
  const answered = async (path: string, init: RequestInit, status: number) => {
    const response = await fetch(`${placard.url}${path}`, { redirect: 'manual', ...init })
    await response.arrayBuffer()
    if (response.status !== status) throw new Error(`${path} was answered ${response.status}`)
    return response
  }
  const post = (path: string, headers: Record<string, string>, body: BodyInit, status: number) => {
    const from = { 'X-Forwarded-For': clientAddress(address++) }
    return answered(path, { method: 'POST', headers: { ...from, ...headers }, body }, status)
  }
  const bearer = { Authorization: `Bearer ${SECRET}`, 'Content-Type': 'application/json' }
  try {
    progress('hostile input')
    const bodies = BODIES.map((body) => () => post('/api/events', bearer, body, 400))
    const language = { 'Accept-Language': 'x-,;q='.repeat(2_000) }
    const page = (round: number) =>
      answered(`/?lang=${'de-'.repeat(500)}${round}`, { headers: language }, 200)

    const code = new URL(await link(placard.url)).hash.slice(1)
    const own = { 'Sec-Fetch-Site': 'same-origin' }
    const form = new URLSearchParams({ code })
    const session = await post('/admin/session', own, form, 303)
    const cookie = session.headers.getSetCookie().map((set) => set.split(';')[0])
    const signedIn = { ...own, Cookie: cookie.join('; ') }
    const fields = FIELDS.map((field) => () => {
      const draft = new URLSearchParams({ type: 'post', slug: '/', text: 'Any', ...field })
      return post('/admin/preview', signedIn, draft, 200)
    })
    const names = Array.from({ length: 3_000 }, (_, index) => `placard_text_en_x_${index}`)
    const metadata = Object.fromEntries(names.map((name) => [name, 'In another language']))
    const coupon = () => offerOf({ name: 'Sale', percent_off: 25, valid: true, metadata }, 0)
    return [
      atMost(50, 'hostile body, slowest kind', await slowest(bodies, rounds), 'ms'),
      atMost(10, 'hostile language and `Accept-Language`', await slowest([page], rounds), 'ms'),
      atMost(50, 'hostile field in the admin, slowest', await slowest(fields, rounds), 'ms'),
      atMost(1_000, 'coupon with 3,000 translations', await slowest([coupon], 3), 'ms'),
    ]
  } finally {
    await placard.stop()
  }
}

/** The time of the slowest task, in ms. Each task's fastest round counts, because a busy machine only adds time. */
async function slowest(works: ((round: number) => unknown)[], rounds: number): Promise<number> {
  const times: number[] = []
  for (const work of works) {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      await work(round)
      least = Math.min(least, performance.now() - began)
    }
    times.push(least)
  }
  return Math.max(...times)
}
