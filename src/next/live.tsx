'use client'

import { useRouter } from 'next/navigation.js'
import { useEffect, useState } from 'react'

/**
 * The page is asked for again after 0.3, 0.6, 1.2, 2.4, 4.8 and 9.6 s. The first request may get what was before: Next.js tells
 * its cache only once the write is answered, and lets browsers show what they have while they ask
 * (`stale-while-revalidate`). Another instance hears of a change within a second (contract R3). A page that was being rendered
 * meanwhile shows for 10 s what was before.
 */
const RETRY_MS = 300
const MAX_TRIES = 7
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
 * Cost: under 1 KB of script for the page, and one open connection for its reader while it is in view. Where the service
 * offers no stream, the page asks instead: when it comes back into view, and once a minute while it is in view.
 */
export function PlacardLive({ id = null, stream = '/api/events/stream' }: PlacardLiveProps): null {
  const { refresh } = useRouter()
  /** What was answered last. Each answer is another object, so the same one again has the page asked for again too. */
  const [latest, setLatest] = useState<{ id: string | null } | undefined>()

  useEffect(() => {
    let events: EventSource | undefined
    let isOffered = true
    /** Whether the page was out of view. Then it may be old by the time that it learns that there is no stream. */
    let wasHidden = false
    const show = (body: { event?: { id: string } | null }) =>
      setLatest({ id: body.event?.id ?? null })
    const ask = async () => {
      if (document.hidden || isOffered) return
      const answer = await fetch(stream.replace(/\/stream$/, '')).catch(() => undefined)
      if (!answer?.ok) return
      // Something in between may answer with a page of its own.
      const body = await answer.json().catch(() => undefined)
      if (body) show(body)
    }
    // A browser has six connections to a server without HTTP/2, for all tabs together. Most tabs are hidden.
    const look = () => {
      wasHidden ||= document.hidden
      events?.close()
      if (!isOffered) ask()
      else if (!document.hidden) listen()
    }
    function listen() {
      const source = new EventSource(stream)
      source.onmessage = ({ data }) => show(JSON.parse(data))
      source.onerror = () => {
        if (source.readyState !== EventSource.CLOSED) return
        isOffered = false
        if (wasHidden) ask()
      }
      events = source
    }
    look()
    document.addEventListener('visibilitychange', look)
    const asking = setInterval(ask, ASK_MS)
    return () => {
      clearInterval(asking)
      document.removeEventListener('visibilitychange', look)
      events?.close()
    }
  }, [stream])

  useEffect(() => {
    if (latest === undefined || latest.id === id) return
    let timer: ReturnType<typeof setTimeout>
    const ask = (tries: number) => {
      refresh()
      if (tries < MAX_TRIES) timer = setTimeout(ask, RETRY_MS * 2 ** (tries - 1), tries + 1)
    }
    ask(1)
    return () => clearTimeout(timer)
  }, [latest, id, refresh])

  return null
}
