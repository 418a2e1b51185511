import pg from 'pg'
import { describeError, type Log } from '../log.ts'
import type { WatchListener } from './store.ts'

/** Where every write says that it was made. */
export const CHANNEL = 'placard'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 2_000

export interface ListenOptions {
  heartbeatMs: number
  answerMs: number
  log: Log
}

/**
 * Listens on a connection of its own until the function that it returns is called.
 *
 * A half-open connection never errors, and a pooler may accept LISTEN and then deliver nothing. So hearing is
 * proved rather than assumed: at first and with every heartbeat the listener sends word to itself, and has
 * lost the connection when that doesn't come back in time. Cost: one empty transaction per heartbeat.
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
    const self = `${CHANNEL}_${crypto.randomUUID()}`
    let hearing = false
    let over = false
    let sentAt = 0
    const silence = () => lose(new Error(`nothing heard for ${answerMs} ms`))
    let timer = setTimeout(silence, answerMs)

    function beat() {
      sentAt = performance.now()
      timer = setTimeout(silence, answerMs).unref()
      client.query(`notify "${self}"`).catch(lose)
    }

    function heard() {
      clearTimeout(timer)
      timer = setTimeout(beat, heartbeatMs - (performance.now() - sentAt)).unref()
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
    client.on('notification', ({ channel }) => (channel === self ? heard() : listener.changed()))
    client
      .connect()
      .then(() => {
        unref(client)
        return client.query(`listen ${CHANNEL}; listen "${self}"`)
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
