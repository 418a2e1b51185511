/** The reference: `node:http` and nothing else, writing one response again and again. */
import { createServer } from 'node:http'

const [, , port, given = '{}'] = process.argv
const { headers, body, etag, unchanged } = JSON.parse(given)
const bytes = Buffer.from(body)

createServer((request, response) => {
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, unchanged).end()
    return
  }
  response.writeHead(200, headers).end(bytes)
}).listen(Number(port), '127.0.0.1')

process.on('SIGTERM', () => process.exit())
