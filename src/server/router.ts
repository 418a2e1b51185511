import type { RequestListener } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Placard } from '../placard.ts'

/** When to load what the router needs, if no request has asked for it by then. */
const SOON_MS = 1_000

/**
 * The long way, for all that isn't answered from memory. It works on the runtime's `Request`, which takes 50 ms to
 * load, a quarter of a start: so it is loaded when it is needed, or a little later.
 */
export function createRouter(placard: Placard): RequestListener {
  async function load(): Promise<RequestListener> {
    const { getRequestListener } = await import('@hono/node-server')
    return getRequestListener(
      (request, env) => {
        const { incoming, outgoing } = env as HttpBindings
        const { remoteAddress: address } = incoming.socket
        return placard.fetch(request, { address, hangUp: () => outgoing.destroy() })
      },
      { overrideGlobalObjects: false },
    )
  }

  let loaded: Promise<RequestListener> | undefined
  const router = () => {
    loaded ??= load()
    return loaded
  }
  setTimeout(router, SOON_MS).unref()
  return async (request, response) => (await router())(request, response)
}
