import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port on which nothing listens. It is below those that the system assigns, so that no other program gets it
 * by chance before it is used.
 */
export async function freePort(): Promise<number> {
  const server = createServer()
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await once(server.close(), 'close')
    return port
  }
}
