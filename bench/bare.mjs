// @ts-check
/**
 * The reference: bare `node:http`. It always sends the same response, head and body in one string. It is in JavaScript,
 * because Node needs 20 MiB more to run TypeScript.
 */
import { createServer } from 'node:http'

const [, , port, given = '{}'] = process.argv
const { headers = {}, body = 'ok', encoding = 'utf8', etag, unchanged = {} } = JSON.parse(given)
// Node sends a Latin-1 string in the same write as the head. That copies the body, so a longer body stays a buffer.
const bytes = Buffer.from(body, encoding)
const text = bytes.length <= 4096 ? bytes.toString('latin1') : bytes
/** @param {Record<string, string>} named */
const list = (named) => Object.entries(named).flat()
const [full, empty] = [list(headers), list(unchanged)]

createServer((request, response) => {
  if (etag !== undefined && request.headers['if-none-match'] === etag) {
    response.writeHead(304, empty).end()
    return
  }
  response.writeHead(200, full).end(text, 'latin1')
}).listen(Number(port), '127.0.0.1')

process.on('SIGTERM', () => process.exit())
