import { afterEach, beforeEach, expect, it } from 'vitest'
import type { WireBody } from '../../src/core/announcement.ts'
import { DRAFT, type Mount, publish, withdraw } from '../harness.ts'

/** One message of a stream. */
export interface Message {
  id: string
  body: WireBody
}

/** Follows a stream. `next` waits for the next message and skips `alive` events. */
export async function follow(mount: Pick<Mount, 'fetch'>) {
  const response = await mount.fetch('/api/events/stream')
  const reader = (response.body ?? new ReadableStream()).getReader()
  const utf8 = new TextDecoder()
  let text = ''
  return {
    response,
    /** Everything received after the last message that `next` returned, including `alive` events. */
    received: () => text,
    async next(): Promise<Message> {
      for (;;) {
        const [whole, id = '', data = ''] = /id: (.*)\ndata: (.*)\n\n/.exec(text) ?? []
        if (whole !== undefined) {
          text = text.slice(text.indexOf(whole) + whole.length)
          return { id, body: JSON.parse(data) }
        }
        const { value, done } = await reader.read()
        if (done) throw new Error('The stream has ended')
        text += utf8.decode(value, { stream: true })
      }
    },
    stop: () => reader.cancel().catch(() => {}),
  }
}

/** The stream where no process stays alive. */
export function noStream(mount: Mount): void {
  it.each(['GET', 'HEAD'])('contract N2: there is no stream, so %s gets 204', async (method) => {
    const response = await mount.fetch('/api/events/stream', { method })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
}

export function stream(mount: Mount): void {
  let stream: Awaited<ReturnType<typeof follow>>
  beforeEach(async () => {
    stream = await follow(mount)
  })
  afterEach(() => stream.stop())

  /** The texts in the next messages. */
  async function heard(count: number): Promise<(string | undefined)[]> {
    const texts: (string | undefined)[] = []
    while (texts.length < count) texts.push((await stream.next()).body.event?.text)
    return texts
  }

  it("contract R4: sends the current state immediately, with GET's body and ETag, and tells proxies not to transform it", async () => {
    const { response } = stream
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect((await stream.next()).body).toEqual({ event: null })
    await publish(mount, { ...DRAFT, icon: 'newspaper' })
    const { id, body } = await stream.next()
    const get = await mount.fetch('/api/events')
    expect(body).toEqual(await get.json())
    expect(id).toBe(get.headers.get('etag'))
  })

  it('contract R4: sends each change in order, including the withdrawal of the last announcement', async () => {
    const texts = ['The first of three', 'The second of three', 'The third of three']
    for (const text of texts) await publish(mount, { ...DRAFT, text })
    await withdraw(mount, { type: 'post' })
    expect(await heard(5)).toEqual([undefined, ...texts, undefined])
  })

  it('contract R4: sends nothing for a write that changes nothing visible', async () => {
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'An older coupon' })
    await publish(mount, { ...DRAFT, text: 'A newer post' })
    await withdraw(mount, { type: 'coupon' })
    await publish(mount, { ...DRAFT, text: 'The newest post' })
    const said = [undefined, 'An older coupon', 'A newer post', 'The newest post']
    expect(await heard(4)).toEqual(said)
  })

  it('contract R4: sends only the headers for HEAD, and 405 for other methods', async () => {
    const head = await mount.fetch('/api/events/stream', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('content-type')).toBe('text/event-stream')
    expect(await head.text()).toBe('')
    const post = await mount.fetch('/api/events/stream', { method: 'POST' })
    expect(post.status).toBe(405)
    expect(post.headers.get('allow')).toBe('GET, HEAD')
  })
}
