import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { localUrl, outsideAddresses } from '../local/address.ts'
import type { Config } from '../local/config.ts'
import { firstRead, openStore } from '../local/database.ts'
import { descriptorLimit, maxStreams } from '../local/descriptors.ts'
import { secretValue, serviceId } from '../local/secret-files.ts'
import { createSite } from '../page/create-site.ts'
import { loadLocales } from '../page/locales.ts'
import { createPlacard, type Placard } from '../placard.ts'
import { bufferNotifications } from './buffer-notifications.ts'
import { detachStreams } from './detach-streams.ts'
import { countRouted, createCounts, createMetrics } from './metrics.ts'
import { oneAtATime } from './pipelining.ts'
import { createPurger, SHARED_MAX_AGE_S } from './purge.ts'
import { answerFromMemory } from './reads-from-memory.ts'
import { createRouter, lazyAdmin } from './router.ts'
import { stoppable } from './stopping.ts'

/** A service that is listening. */
export type RunningServer = Awaited<ReturnType<typeof serve>>

/**
 * Opens the store, creates the service and its server, and listens.
 *
 * @throws if the port is taken, a locale file or a secret file is invalid, or the database can't be used
 */
export async function serve(config: Config, log: Logger) {
  const site = createSite(await loadLocales(config.localesDir), config.publicPage)
  const { database, stripeWebhookSecret: signing } = config
  const apiSecret = await secretValue(config.apiSecret, '', log)
  const stripeWebhookSecret = signing ? await secretValue(signing, 'whsec_', log) : undefined
  const id = database.kind === 'sqlite' ? await serviceId(database.path) : undefined
  const store = await openStore(database, log)
  const counts = createCounts()
  const streamsAtMost = maxStreams(config.maxStreams, log)
  const purger = config.purge ? createPurger(config.purge, log) : undefined
  const placard: Placard = createPlacard({
    store,
    apiSecret,
    stripeWebhookSecret,
    stripe: config.stripe ?? undefined,
    trustProxy: config.trustProxy,
    maxStreams: streamsAtMost,
    onChange: purger?.purge,
    sharedMaxAge: purger ? SHARED_MAX_AGE_S : 0,
    host: () => ({
      node: process.versions.node,
      publicUrl: config.publicUrl,
      wanted: config.maxStreams,
      fileLimit: descriptorLimit(),
      ...(purger && { purge: { failure: purger.failure } }),
    }),
    serviceId: id,
    metrics: createMetrics(counts, () => placard, purger),
    site,
    // The icons are loaded with the first write that has an icon, because they take 610 KB.
    knowsIcon: async (name) => (await import('../bar/icon.ts')).knowsIcon(name),
    log,
  })
  let reachedAt = ''
  const secretFile = 'file' in config.apiSecret ? config.apiSecret.file : undefined
  const admin = lazyAdmin(placard, () => ({ url: reachedAt, secretFile }), log)
  // An import of `node:http` would evaluate its export `WebSocket` and load `fetch`: a quarter of the start-up time.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer({
    // Not creating a body stream for requests without a body makes reads 6% faster.
    optimizeEmptyRequests: true,
    // Joins repeated headers, as the router does. Otherwise, Node would ignore a second Host header.
    joinDuplicateHeaders: true,
    // The server closes the connection of a client that takes longer than this to send a request (contract R10).
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: config.trustProxy > 0 ? PROXY_IDLE_MS : IDLE_MS,
    // An upgrade request gets the same response as one without `Upgrade`.
    shouldUpgradeCallback: () => false,
  })
  const { track, stop } = stoppable(server)
  // Each request passes through these layers, the last one first. Their order matters:
  // - `oneAtATime` is first, because every other layer assumes that its request is the only one on the connection.
  // - `answerFromMemory` comes before everything that costs time. The reads that it answers are complete at once, so a
  //   stop needn't wait for them, and their count needs no status.
  // - `track` and `countRouted` get every other request before its body arrives. So a stop knows of every request that
  //   is unfinished, and a request whose body never arrives counts as aborted.
  // - `bufferNotifications` passes a notification on once its body is complete. For a body that is still arriving, the
  //   router would also create a web stream, and anyone can leave a body unfinished.
  const router = createRouter(placard, admin, log)
  const routed = track(countRouted(counts, bufferNotifications(router)))
  const reads = answerFromMemory(placard, counts, detachStreams(server), routed)
  server.on('request', oneAtATime(reads))
  server.setTimeout(STALLED_MS)
  try {
    await firstRead(placard.snapshot, database, log)
    await new Promise<void>((resolve, reject) => {
      server
        .once('error', (error) => reject(withSetting(error)))
        .listen(config.port, config.host, resolve)
    })
  } catch (error) {
    await placard.close()
    throw error
  }
  purger?.follow(placard)

  const { port, address } = server.address() as AddressInfo
  const url = localUrl(config.host, port)
  reachedAt = config.publicUrl ?? url
  return {
    /** The address that the service listens on, such as `http://localhost:3000`. */
    url,
    /** The addresses at which other machines can reach the service: none if it listens on a loopback address. */
    elsewhere: outsideAddresses(address).map((host) => localUrl(host, port)),
    /** The address at which people reach the service. */
    publicUrl: reachedAt,
    /** Whether this start created the database. If so, the path in `DATABASE_URL` may be wrong. */
    isNew: (await store.migrate()).includes(1),
    /** Creates a link that signs one browser in to the admin (contract O1). */
    createLink: () => admin.createLink(),
    /** Stops accepting requests, waits up to 10 s for the accepted ones, cuts off the rest, and closes the store. */
    async stop() {
      const stopped = stop()
      // Streams never finish by themselves. Open pages reconnect to another node or, after a restart, to this one.
      placard.streams.close()
      await stopped
      purger?.close()
      await placard.close()
    },
  }
}

/** A client that doesn't read its response is disconnected after up to twice this long (contract R10). */
const STALLED_MS = 30_000
/** How long an idle connection is kept (contract R10). */
const IDLE_MS = 5_000
/**
 * How long an idle connection from a proxy is kept. The proxy has to close the connection first: a write sent on a
 * closing connection is lost, and the client gets a 502. Caddy keeps idle connections for 2 min, some proxies for 10.
 */
const PROXY_IDLE_MS = 620_000

/** The system's error codes for a `HOST` that isn't an address of this machine. */
const NOT_HERE = /^(ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|EINVAL|EAFNOSUPPORT|EDNS\w+)$/

/** Names the setting in an error from listening. Some shells set `HOST` to something other than an address. */
function withSetting(error: NodeJS.ErrnoException): Error {
  if (!NOT_HERE.test(error.code ?? '')) return error
  const fix = 'Set it to an address of this machine, or to 127.0.0.1'
  return new Error(`HOST is not an address of this machine (${error.code}). ${fix}`)
}
