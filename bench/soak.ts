/**
 * Kills the service with `kill -9` in the middle of writes and notifications, again and again. After each restart, checks
 * that no acknowledged write is missing, that no type is stored twice, and that the history has each acknowledged write
 * exactly once.
 *
 * `npm run soak` for 25 rounds, `npm run soak 500` for a long run.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/free-port.ts'
import { isReady, kill, launch, SECRET, SIGNING_SECRET } from './processes.ts'
import { createHistoryCheck } from './soak-history.ts'
import { createWriters, type Lane } from './soak-writers.ts'

const ROUNDS = Number(process.argv[2] ?? 25)
const directory = mkdtempSync(join(tmpdir(), 'placard-soak-'))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const writers = createWriters(url, SECRET, SIGNING_SECRET)
const history = createHistoryCheck(url, SECRET)

const begin = () => launch(directory, { PORT: String(port), DATABASE_URL: 'file:placard.db' })

/** Resolves with the number of milliseconds until the service was ready. */
async function ready(child: ChildProcess): Promise<number> {
  const started = performance.now()
  while (performance.now() - started < 15_000 && child.exitCode === null) {
    if (await isReady(url)) return Math.round(performance.now() - started)
    await sleep(5)
  }
  throw new Error('The service did not come back')
}

interface Row {
  id: string
  type: string
  text: string
  timestamp: number
}

/** Describes what is wrong with the file, and with what the service shows. */
async function faults(lanes: readonly Lane[]): Promise<string[]> {
  const database = new DatabaseSync(join(directory, 'placard.db'), { readOnly: true })
  const rows = database
    .prepare(
      "select id, type, body ->> 'text' as text, timestamp from placard_event order by timestamp desc",
    )
    .all() as unknown as Row[]
  const check = database.prepare('pragma integrity_check').get()?.integrity_check
  database.close()
  const { event } = (await (await fetch(`${url}/api/events`)).json()) as { event: Row | null }

  const found = check === 'ok' ? [] : [`integrity check: ${check}`]
  if (event?.id !== rows[0]?.id) found.push(`shows ${event?.text}, stored is ${rows[0]?.text}`)
  for (const lane of lanes) {
    const texts = rows.filter(({ type }) => type === lane.type).map(({ text }) => text)
    if (texts.length > 1) found.push(`${texts.length} of type ${lane.type}`)
    const stored = texts[0] ?? null
    // A write that was cut off may be stored or not; an acknowledged write must be stored.
    if (!lane.possible.includes(stored)) {
      found.push(`${lane.type} is ${stored}, should be ${lane.possible.join(' or ')}`)
    }
    lane.possible = [stored]
  }
  return found
}

let failed = 0
try {
  for (let round = 1; round <= ROUNDS; round++) {
    const child = begin()
    // In every fifth round, the service dies during its start; in the first of them, while it creates the tables.
    if (round % 5 === 1) {
      await sleep(Math.random() * 250)
      await kill(child)
    } else {
      await ready(child)
      const stop = writers.run()
      await sleep(50 + Math.random() * 400)
      await kill(child)
      await stop()
    }
    const again = begin()
    const ms = await ready(again)
    const found = [...(await faults(writers.lanes)), ...(await writers.repeat())]
    found.push(...(await faults(writers.lanes)), ...(await history.faults(writers.sent)))
    await kill(again)
    const total = writers.acknowledged()
    console.log(
      `${String(round).padStart(4)}/${ROUNDS}  ${found.length === 0 ? 'ok' : 'FAILED'}  ` +
        `${total} acknowledged so far, back after ${ms} ms`,
    )
    for (const fault of found) console.log(`      ${fault}`)
    if (found.length > 0) failed++
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
console.log(
  failed === 0
    ? `${ROUNDS} × kill -9: no acknowledged write lost, never two of a type; ` +
        `${history.compared()} entries of the history match the writes`
    : `${failed} of ${ROUNDS} rounds failed`,
)
process.exit(failed === 0 && writers.acknowledged() > 0 ? 0 : 1)
