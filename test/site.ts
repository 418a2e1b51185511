import { createServer } from 'node:http'
import { afterFile } from './after-file.ts'
import { listen } from './raw.ts'

/** A site other than Placard: gives every request the same response, and records the requests. */
export async function site(status: number, headers: Record<string, string>, body: string) {
  const asked: string[] = []
  let received = ''
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status, headers).end(body)
  })
  server.on('connection', (socket) => {
    socket.on('data', (chunk) => {
      received += chunk
    })
  })
  // As a proxy, it opens no tunnel. Node 24 retries for ever if a proxy closes the connection without a response.
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  const url = `http://127.0.0.1:${await listen(server, afterFile)}`
  /** Every byte that was received. */
  return { url, asked, received: () => received }
}
