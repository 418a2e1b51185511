'use client'

import { useRouter } from 'next/navigation.js'
import { useEffect, useState } from 'react'

/** An instance that hasn't heard of the change yet will hear of it within a second (contract R3). */
const RETRY_MS = 1_000
const MAX_TRIES = 5
/** Without a stream, a page that is looked at asks no more often than this by itself. */
const ASK_MS = 60_000

export interface PlacardLiveProps {
  /** What the page was rendered with: `event?.id`. */
  id: string | null | undefined
  /** Where the stream is, if not at `/api/events/stream`. */
  stream?: string | undefined
}

/**
 * Has the server render the page again when what is showing changes. Readers keep what they typed and where they are.
 * It renders nothing itself.
 *
 * Cost: under 1 KB of script for the page, and one open connection for its reader. Where the service offers no stream, the
 * page asks instead: when it comes back into view, and once a minute while it is in view.
 */
export function PlacardLive({ id = null, stream = '/api/events/stream' }: PlacardLiveProps): null {
  const { refresh } = useRouter()
  const [latest, setLatest] = useState<string | null | undefined>()

  useEffect(() => {
    const events = new EventSource(stream)
    const show = (body: { event?: { id: string } | null }) => setLatest(body.event?.id ?? null)
    const ask = async () => {
      if (document.hidden || events.readyState !== EventSource.CLOSED) return
      const answer = await fetch(stream.replace(/\/stream$/, '')).catch(() => undefined)
      if (!answer?.ok) return
      // Something in between may answer with a page of its own.
      const body = await answer.json().catch(() => undefined)
      if (body) show(body)
    }
    events.onmessage = ({ data }) => show(JSON.parse(data))
    document.addEventListener('visibilitychange', ask)
    const asking = setInterval(ask, ASK_MS)
    return () => {
      clearInterval(asking)
      document.removeEventListener('visibilitychange', ask)
      events.close()
    }
  }, [stream])

  useEffect(() => {
    if (latest === undefined || latest === id) return
    let tries = 0
    const retry = () => {
      refresh()
      if (++tries === MAX_TRIES) clearInterval(timer)
    }
    const timer = setInterval(retry, RETRY_MS)
    retry()
    return () => clearInterval(timer)
  }, [latest, id, refresh])

  return null
}
