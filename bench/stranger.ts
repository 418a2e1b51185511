/**
 * A client without a credential, in its own process. `pipeline REQUESTS` keeps sending one kind of request over one
 * connection, without waiting for responses. `halves COUNT` sends the first halves of that many notifications.
 * `forged RATE` sends that many forged notifications per second, of the maximum size. Prints a line when it begins, and
 * runs until it is killed.
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

const LARGEST = 256 * 1024
/** The headers look as if the body had just been signed, so the service must read the whole body to reject it. */
const NOTIFICATION = request('POST /api/webhooks', [
  `Stripe-Signature: t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
  `Content-Length: ${LARGEST}`,
])

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
  halves() {
    const half = NOTIFICATION + 'x'.repeat(LARGEST / 2)
    for (let i = 0; i < Number(argument); i++) open((socket) => socket.write(half))
  },
  forged() {
    const whole = NOTIFICATION + 'x'.repeat(LARGEST)
    const started = performance.now()
    let sent = 0
    setInterval(() => {
      const due = ((performance.now() - started) / 1000) * Number(argument)
      for (; sent < due; sent++) {
        open((socket) => {
          socket.write(whole)
          socket.once('data', () => socket.destroy())
        })
      }
    }, 2)
  },
}

function open(begin: (socket: Socket) => void, closed = () => {}): void {
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {}).on('data', () => {})
  socket.once('connect', () => begin(socket)).once('close', closed)
}

KINDS[kind ?? '']?.()
process.stdout.write('begun\n')
