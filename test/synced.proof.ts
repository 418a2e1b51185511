import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { skipAloud } from './aloud.ts'
import { serving } from './command-line.ts'
import { coupon, DRAFT, httpMount, idOf, notify, publish, SECRETS, withdraw } from './harness.ts'
import { soon } from './soon.ts'
import { temporaryDirectory } from './stores.ts'

const CALLS = 'pwrite64,fsync,fdatasync,write,writev,sendto,sendmsg'
/** Traces every system call of the service that writes or syncs, with the names of files and long texts. */
const STRACE = ['strace', '-D', '-f', '-y', '-s', '5000', '-e', `trace=${CALLS}`, '-o']

it('contract A12, W2: each write is synced to disk before its response is sent', async (context) => {
  const able = spawnSync('strace', ['-D', '-f', '-y', '-o', '/dev/null', 'true']).status === 0
  skipAloud(context, !able, 'strace, and the right to trace')
  const directory = temporaryDirectory()
  const trace = join(directory, 'trace')
  const settings = { ...SECRETS, PORT: '0', TRUST_PROXY: '1' }
  const runner = [...STRACE, trace, process.execPath]
  const service = await serving(directory, settings, { runner })
  const mount = httpMount(service.url)
  const answers: Answer[] = []
  const post = async (body: object) => {
    const answer = await publish(mount, body)
    expect(answer.status).toBe(201)
    const id = idOf(answer)
    answers.push({ id, stored: id })
  }
  for (let round = 0; round < 5; round++) {
    await post({ ...DRAFT, text: `alone ${round}` })
    // These share commits, but not rows.
    await Promise.all(['post', 'coupon', 'product'].map((type) => post({ ...DRAFT, type })))
    // The request's id is in the response.
    const notification = coupon('created', { name: `Coupon ${round}` })
    const { id } = notification
    expect((await notify(mount, notification, { 'X-Request-Id': id })).status).toBe(200)
    answers.push({ id, stored: id })
    const removal = `withdrawn-${round}`
    const withdrawn = await withdraw(mount, { type: 'coupon' }, { 'X-Request-Id': removal })
    expect(await withdrawn.json()).toMatchObject({ deleted: 1 })
    answers.push({ id: removal, stored: undefined })
  }
  service.child.kill('SIGTERM')
  await service.finished
  const lines = await soon(() => {
    const text = readFileSync(trace, 'utf8')
    // strace pads short process ids with spaces.
    expect(text).toMatch(new RegExp(`^${service.child.pid} +\\+{3} exited with 0`, 'm'))
    return whole(text.split('\n'))
  })
  expect(answers).toHaveLength(30)
  expect(answers.filter((answer) => !isSynced(answer, lines))).toEqual([])
})

interface Answer {
  /** A text in the headers of the response. */
  id: string
  /** A text in the row that was written. A deletion writes none. */
  stored: string | undefined
}

/** Joins the two lines of a call that began in one and ended in another. */
function whole(lines: string[]): string[] {
  const begun = new Map<string, string>()
  return lines.map((line) => {
    const [thread = ''] = line.split(' ')
    if (line.endsWith('<unfinished ...>')) begun.set(thread, line)
    return line.includes(' resumed>') ? `${begun.get(thread)} ${line}` : line
  })
}

/** Whether the write reached the write-ahead log, was synced, and got its response, in this order. */
function isSynced({ id, stored }: Answer, lines: string[]): boolean {
  const isAnswer = (line: string) => line.includes('HTTP/1.1 20')
  const answered = lines.findIndex((line) => isAnswer(line) && line.includes(id))
  const earlier = lines.slice(0, answered).findLastIndex(isAnswer)
  const written = lines.findIndex(
    (line, at) =>
      line.includes('-wal>, ') && (stored === undefined ? at > earlier : line.includes(stored)),
  )
  expect(written, id).toBeGreaterThan(0)
  expect(answered, id).toBeGreaterThan(written)
  return lines.slice(written, answered).some((line) => /sync\(.*-wal>.* = 0$/.test(line))
}
