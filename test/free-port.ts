import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that nothing listens on just now. It is below those that a system gives out by itself, so that nobody else gets it
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
