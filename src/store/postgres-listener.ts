import pg from 'pg'
import { describeError, type Log } from '../log.ts'
import type { WatchListener } from './store.ts'

/** Where every write says that it was made. */
export const CHANNEL = 'placard'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 2_000
/** How long connecting may take. Nobody is served from memory meanwhile, so there is no hurry. */
const CONNECT_MS = 5_000
/** Where nodes prove to themselves and each other that word comes through. */
const PROBE_CHANNEL = `${CHANNEL}_word`
/** Some notification, whoever sent it, has to come within this time. */
const PROBE_MS = 10_000
/** Without waiting for the disk: word that a crash takes away is no loss. */
const SEND_PROBE = `select pg_notify('${PROBE_CHANNEL}', ''), set_config('synchronous_commit', 'off', true)`

export interface ListenOptions {
  heartbeatMs: number
  answerMs: number
  log: Log
}

/**
 * Listens on a connection of its own until the function that it returns is called.
 *
 * A half-open connection never errors, so each heartbeat asks for an answer; without one in time the connection is
 * lost. The question is an empty query: Postgres writes nothing for it and takes no lock.
 *
 * A pooler may accept LISTEN and then deliver nothing, so a query's answer doesn't prove hearing. Where no
 * notification has come for a while, and at first, the heartbeat is a notification to all nodes. It wakes each of
 * them; one heard by all is proof for all, so many nodes send no more of them than one does.
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
    let hearing = false
    let over = false
    let sentAt = 0
    let notifiedAt = Number.NEGATIVE_INFINITY
    let answered = false
    const silence = (ms: number) => lose(new Error(`nothing heard for ${ms} ms`))
    let timer = setTimeout(silence, CONNECT_MS, CONNECT_MS)

    function beat() {
      sentAt = performance.now()
      answered = false
      // A process that was busy comes to this timer before it has read its sockets: they are read first.
      const late = () => setImmediate(() => answered || silence(answerMs))
      timer = setTimeout(late, answerMs).unref()
      if (sentAt - notifiedAt < PROBE_MS) client.query('').then(heard, lose)
      else client.query(SEND_PROBE).catch(lose)
    }

    function heard() {
      if (over) return
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
      cut(client)
      if (hearing) listener.hearing(false)
      if (stopped) return
      if (!reported) log.warn({ error: describeError(error) }, 'not hearing the other nodes')
      reported = true
      // Jittered, so that nodes which lost the same server don't all come back in the same instant.
      retry = setTimeout(connect, retryMs * (0.5 + Math.random() / 2)).unref()
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }

    leave = () => lose(new Error('stopped'))
    client.on('error', lose).on('end', () => lose(new Error('the connection ended')))
    client.on('notification', ({ channel }) => {
      notifiedAt = performance.now()
      heard()
      if (channel === CHANNEL) listener.changed()
    })
    client
      .connect()
      .then(() => {
        unref(client)
        return client.query(`listen ${CHANNEL}; listen ${PROBE_CHANNEL}`)
      })
      .then(() => {
        clearTimeout(timer)
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

/** Lets the process end while it listens; the driver can, its types don't say so. */
function unref(client: pg.Client): void {
  ;(client as unknown as { unref(): void }).unref()
}
