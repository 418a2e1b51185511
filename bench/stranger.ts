/**
 * A client without a credential, in a process of its own: `pipeline REQUESTS` sends one kind of request again and
 * again over one connection, and waits for no answer. Prints a line when it begins; goes on until it is killed.
 */
import { connect, type Socket } from 'node:net'

const [, , url = '', kind, argument = ''] = process.argv
const { port } = new URL(url)

function request(line: string, headers: string[] = []): string {
  return `${[`${line} HTTP/1.1`, 'Host: bench', ...headers].join('\r\n')}\r\n\r\n`
}

const REQUESTS: Record<string, string> = {
  readyz: request('GET /readyz'),
  reads: request('GET /api/events'),
  writes: `${request('POST /api/events', ['Content-Type: application/json', 'Content-Length: 2'])}{}`,
  notifications: `${request('POST /api/webhooks', ['Content-Length: 2'])}{}`,
}

const KINDS: Record<string, () => void> = {
  pipeline() {
    const one = REQUESTS[argument] ?? ''
    const many = one.repeat(Math.ceil(65_536 / one.length))
    const begin = () => open(endless, () => setTimeout(begin, 1))
    const endless = (socket: Socket) => {
      const push = () => {
        while (socket.writable && socket.write(many));
      }
      socket.on('drain', push)
      push()
    }
    begin()
  },
}

function open(begin: (socket: Socket) => void, closed: () => void): void {
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {}).on('data', () => {})
  socket.once('connect', () => begin(socket)).once('close', closed)
}

KINDS[kind ?? '']?.()
process.stdout.write('begun\n')
