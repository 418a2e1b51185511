import pg from 'pg'
import { describeError, type Log } from '../core/log.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { WatchListener } from './store.ts'

/** The channel on which each write notifies the other nodes. */
export const CHANNEL = 'placard'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 2_000
/** The timeout for connecting. A long timeout is harmless: a node that isn't listening serves nothing from memory. */
const CONNECT_MS = 5_000
/** The channel for probes: notifications that a node sends only to see whether notifications arrive. */
const PROBE_CHANNEL = `${CHANNEL}_word`
/** How long a node waits for a notification before it sends a probe itself. */
const PROBE_MS = 10_000
/** The probe's commit doesn't wait for the disk, because losing a probe in a crash does no harm. */
const SEND_PROBE = `select pg_notify('${PROBE_CHANNEL}', ''), set_config('synchronous_commit', 'off', true)`

export interface ListenOptions {
  heartbeatMs: number
  heartbeatTimeoutMs: number
  log: Log
}

/**
 * Listens for other nodes' writes, on its own connections, until the returned function is called.
 *
 * A half-open connection never reports an error, so each heartbeat sends a query. If no answer comes in time, the node
 * closes the connection and opens a new one. The query is empty, so Postgres writes nothing and takes no lock for it.
 *
 * A pooler may accept LISTEN and then deliver nothing, so an answered query doesn't prove that notifications arrive.
 * Therefore the first heartbeat, and each heartbeat after {@link PROBE_MS} without a notification, is a probe, which
 * goes to all nodes. Every node hears every probe, so all nodes together probe about as often as a single node would. A
 * second connection sends the probes: while the listening connection runs a statement, a pooler in transaction mode
 * connects it to the server, so a probe sent on that connection would arrive even if other notifications don't. The
 * second connection stays open, because the server rejects new connections once it has reached its connection limit.
 */
export function listen(
  config: pg.ClientConfig,
  { heartbeatMs, heartbeatTimeoutMs, log }: ListenOptions,
  listener: WatchListener,
): () => void {
  let stopped = false
  let retryMs = FIRST_RETRY_MS
  let retry: NodeJS.Timeout | undefined
  let reported = false
  let leave = () => {}

  function connect() {
    const client = new pg.Client(config)
    const prober = new pg.Client(config)
    let hearing = false
    let over = false
    let sentAt = 0
    let notifiedAt = Number.NEGATIVE_INFINITY
    let answered = false
    /**
     * Whether a statement is running on the listening connection. During a statement, a pooler delivers notifications
     * that it would otherwise drop, so a notification during a statement doesn't prove that others will arrive.
     */
    let asking = true
    const silence = (ms: number) => lose(new Error(`nothing heard for ${ms} ms`))
    let timer = setTimeout(silence, CONNECT_MS, CONNECT_MS)

    function beat() {
      sentAt = performance.now()
      answered = false
      // A process that was paused runs this timer before it reads its sockets, where the answer may already be waiting.
      const late = () => setImmediate(() => answered || silence(heartbeatTimeoutMs))
      timer = setTimeout(late, heartbeatTimeoutMs).unref()
      if (sentAt - notifiedAt < PROBE_MS) {
        asking = true
        client.query('').then(heard, lose)
      } else prober.query(SEND_PROBE).catch(lose)
    }

    function heard() {
      if (over) return
      asking = false
      answered = true
      clearTimeout(timer)
      timer = setTimeout(beat, Math.max(0, sentAt + heartbeatMs - performance.now())).unref()
      if (hearing) return
      hearing = true
      retryMs = FIRST_RETRY_MS
      reported = false
      log.info({}, 'hearing the other nodes')
      listener.hearing(true)
    }

    function lose(error: Error) {
      if (over) return
      over = true
      clearTimeout(timer)
      for (const one of [client, prober]) cut(one)
      if (hearing) listener.hearing(false)
      if (stopped) return
      const lost = new StoreUnavailable(error)
      if (!reported) log.warn({ error: describeError(lost) }, 'not hearing the other nodes')
      reported = true
      // The jitter keeps nodes that lost the same server from all reconnecting at once.
      retry = setTimeout(connect, retryMs * (0.5 + Math.random() / 2)).unref()
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }

    leave = () => lose(new Error('stopped'))
    for (const one of [client, prober]) {
      one.on('error', lose).on('end', () => lose(new Error('the connection ended')))
    }
    client.on('notification', ({ channel }) => {
      if (!asking) {
        notifiedAt = performance.now()
        heard()
      }
      if (channel === CHANNEL) listener.changed()
    })
    Promise.all([client.connect(), prober.connect()])
      .then(() => {
        for (const one of [client, prober]) unref(one)
        return client.query(`listen ${CHANNEL}; listen ${PROBE_CHANNEL}`)
      })
      .then(() => {
        clearTimeout(timer)
        asking = false
        if (!over) beat()
      })
      .catch(lose)
  }

  connect()
  return () => {
    stopped = true
    clearTimeout(retry)
    leave()
  }
}

/** Ends a connection without waiting for the peer. */
export function cut({ connection }: pg.Client): void {
  connection.stream.destroy()
}

/** Lets the process end while the connection is open. The driver's types don't declare `unref`. */
function unref(client: pg.Client): void {
  ;(client as unknown as { unref(): void }).unref()
}
