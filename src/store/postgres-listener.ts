import pg from 'pg'
import { describeError, type Log } from '../core/log.ts'
import type { WatchListener } from './store.ts'

/** The channel on which each write notifies the other nodes. */
export const CHANNEL = 'placard'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 2_000
/** How long connecting may take. A long limit does no harm, because nothing is served from memory meanwhile. */
const CONNECT_MS = 5_000
/** The channel on which nodes prove to each other that notifications arrive. */
const PROBE_CHANNEL = `${CHANNEL}_word`
/** How long a node goes without a notification before it sends one itself. */
const PROBE_MS = 10_000
/** The probe's commit doesn't wait for the disk, because losing a probe in a crash does no harm. */
const SEND_PROBE = `select pg_notify('${PROBE_CHANNEL}', ''), set_config('synchronous_commit', 'off', true)`

export interface ListenOptions {
  heartbeatMs: number
  answerMs: number
  log: Log
}

/**
 * Listens, on connections of its own, until the returned function is called.
 *
 * A half-open connection never reports an error, so each heartbeat is a query, and an unanswered one means that the
 * connection is lost. The query is empty, so Postgres writes nothing and takes no lock.
 *
 * A pooler may accept LISTEN and then deliver nothing, so an answered query doesn't prove that notifications arrive.
 * Therefore the first heartbeat, and each one after {@link PROBE_MS} without a notification, is a notification to all
 * nodes. It proves to all of them that notifications arrive, so together they probe no more often than one node would.
 * A second connection sends it: while the listening one runs a statement, a pooler in transaction mode lends it a
 * server, and the node would hear only itself. The second connection stays open, because later no connection might be
 * free: other clients may take them, and those of the pool may all be writing.
 */
export function listen(
  config: pg.ClientConfig,
  { heartbeatMs, answerMs, log }: ListenOptions,
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
     * While a statement runs, a pooler passes on notifications that it would otherwise drop, so hearing one proves
     * nothing.
     */
    let asking = true
    const silence = (ms: number) => lose(new Error(`nothing heard for ${ms} ms`))
    let timer = setTimeout(silence, CONNECT_MS, CONNECT_MS)

    function beat() {
      sentAt = performance.now()
      answered = false
      // After a pause, a process runs this timer before it reads its sockets, and the answer may be waiting there.
      const late = () => setImmediate(() => answered || silence(answerMs))
      timer = setTimeout(late, answerMs).unref()
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
      if (!reported) log.warn({ error: describeError(error) }, 'not hearing the other nodes')
      reported = true
      // With jitter, so that nodes that lost the same server don't all reconnect at once.
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
        unref(client)
        unref(prober)
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

/** Lets the process end while the connection listens. The driver can do that, but its types don't declare it. */
function unref(client: pg.Client): void {
  ;(client as unknown as { unref(): void }).unref()
}
