import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { publish, startPlacard } from './processes.ts'
import type { Row } from './report.ts'

/** What is sent to a page with the script tag, heads included. The names are in `costs` of performance-page.ts too. */
export const SENT = {
  first: 'sent to a page: the script with the bar, on a first visit',
  later: 'sent to a page: on each later visit, while nothing changes',
  open: 'sent to an open page: the head of the stream',
  change: 'sent to an open page: each change',
} as const

/** Counts the bytes on the wire. */
export async function benchBytes(): Promise<Row[]> {
  const placard = await startPlacard()
  const port = Number(new URL(placard.url).port)
  const announce = (text: string) =>
    publish(placard.url, text, '10.0.0.1', { type: 'coupon', slug: '#coupon', icon: 'tag' })

  /** @returns what the service sends within half a second, and a function that ends the connection */
  async function ask(path: string, headers: string[] = []) {
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    await once(socket, 'connect')
    socket.write(`${[`GET ${path} HTTP/1.1`, 'Host: bench', ...headers].join('\r\n')}\r\n\r\n`)
    await pause(500)
    return { sent: () => text, end: () => socket.destroy() }
  }

  try {
    await announce('25% off every plan until Friday')
    const gzip = 'Accept-Encoding: gzip, deflate, br'
    const first = await ask('/embed.js', [gzip])
    const etag = /^etag: (.*)\r$/im.exec(first.sent())?.[1]
    const later = await ask('/embed.js', [gzip, `If-None-Match: ${etag}`])
    const { id } = (await (await fetch(`${placard.url}/embed.json?lang=en`)).json()) as {
      id: string
    }
    const stream = await ask(`/api/events/stream?bar=en&has=${id}`, ['Accept: text/event-stream'])
    const opened = stream.sent().length
    await announce('40% off every plan until Friday')
    await pause(500)
    for (const one of [first, later, stream]) one.end()
    const row = (what: string, bytes: number): Row => ({
      what,
      value: `${(bytes / 1000).toFixed(2)} kB`,
    })
    return [
      row(SENT.first, first.sent().length),
      row(SENT.later, later.sent().length),
      row(SENT.open, opened),
      row(SENT.change, stream.sent().length - opened),
    ]
  } finally {
    await placard.stop()
  }
}
