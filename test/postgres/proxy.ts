import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** One connection between a node and the database. */
export interface Link {
  /** Whether it is the one on which the node listens. */
  readonly listening: boolean
  /** Nothing passes any more, and neither side notices. */
  freeze(): void
  thaw(): void
  /** Ends it with a TCP reset to both sides. */
  reset(): void
  /** Ends it for the node at once. The database gets this chunk `ms` later, and then the end of the connection. */
  deliverLate(chunk: Buffer, ms: number): void
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>

/** A TCP proxy that can break connections as networks do. */
export async function startProxy(target: string) {
  const { hostname, port } = new URL(target)
  const links = new Set<Link>()
  let frozen = false
  let refusing = false

  const server = createServer((node) => {
    if (refusing) return void node.resetAndDestroy()
    const database = connect(Number(port), hostname)
    let listening = false
    const link: Link = {
      get listening() {
        return listening
      },
      freeze: () => both((socket) => socket.pause()),
      thaw: () => both((socket) => socket.resume()),
      reset: () => both((socket) => socket.resetAndDestroy()),
      deliverLate(chunk, ms) {
        node.off('close', gone).resetAndDestroy()
        setTimeout(() => database.end(chunk), ms)
      },
    }
    const both = (act: (socket: Socket) => void) => [node, database].forEach(act)
    const gone = () => {
      links.delete(link)
      both((socket) => socket.destroy())
    }
    const to = (socket: Socket, direction: 'up' | 'down') =>
      inOrder((chunk: Buffer) => {
        if (!socket.destroyed && proxy.inspect(chunk, direction, link)) socket.write(chunk)
      })
    const [up, down] = [to(database, 'up'), to(node, 'down')]
    links.add(link)
    for (const socket of [node, database]) socket.setNoDelay().on('error', gone).on('close', gone)
    node.on('data', (chunk) => {
      listening ||= chunk.includes('listen placard')
      up(chunk, proxy.delayMs)
    })
    database.on('data', (chunk) => down(chunk, listening ? 0 : proxy.answerDelayMs))
    if (frozen) link.freeze()
  })

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)

  const proxy = {
    /** The database's address through this proxy. */
    url: url.href,
    links: links as ReadonlySet<Link>,
    /** Applies to new connections too, from now on. */
    freeze() {
      frozen = true
      for (const link of links) link.freeze()
    },
    thaw() {
      frozen = false
      for (const link of links) link.thaw()
    },
    /** Resets all connections and refuses new ones. */
    refuse() {
      refusing = true
      for (const link of links) link.reset()
    },
    accept() {
      refusing = false
    },
    /** How long everything that the node sends is delayed, in ms. The order doesn't change. */
    delayMs: 0,
    /** How long the database's responses are delayed, in ms. Its notifications of changes aren't. */
    answerDelayMs: 0,
    /** Called with each chunk. If it returns `false`, the chunk is dropped. */
    inspect: (_chunk: Buffer, _direction: 'up' | 'down', _link: Link): boolean => true,
    async close() {
      for (const link of links) link.reset()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

/** Passes each item on after its own delay, but never before an earlier item. */
function inOrder<T>(pass: (one: T) => void): (one: T, delayMs: number) => void {
  let held = 0
  let last = Promise.resolve()
  return (one, delayMs) => {
    if (held === 0 && delayMs === 0) return pass(one)
    held++
    const due = sleep(delayMs)
    last = last.then(async () => {
      await due
      held--
      pass(one)
    })
  }
}
