import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterFile } from './after-file.ts'

/** A site that is not Placard: gives every request the same answer, and remembers what it was asked. */
export async function site(status: number, headers: Record<string, string>, body: string) {
  const asked: string[] = []
  let received = ''
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status, headers).end(body)
  }).listen(0, '127.0.0.1')
  server.on('connection', (socket) => {
    socket.on('data', (chunk) => {
      received += chunk
    })
  })
  afterFile(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  /** Every byte that came in. */
  return { url, asked, received: () => received }
}
