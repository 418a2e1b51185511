'use client'

import { useRouter } from 'next/navigation.js'
import { useEffect, useState } from 'react'

/** An instance that hasn't heard of the change yet does so within a second (contract R3). */
const RETRY_MS = 1_000
const MAX_TRIES = 5

export interface PlacardLiveProps {
  /** What the page was rendered with: `event?.id`. */
  id: string | null | undefined
  /** Where the stream is, if not at `/api/events/stream`. */
  stream?: string | undefined
}

/**
 * Renders the page again on the server when what is showing has changed, without losing what its reader has
 * typed or where they are. Renders nothing.
 *
 * Costs a page under 1 KB of script, and its reader one open connection.
 */
export function PlacardLive({ id = null, stream = '/api/events/stream' }: PlacardLiveProps): null {
  const { refresh } = useRouter()
  const [latest, setLatest] = useState<string | null | undefined>()

  useEffect(() => {
    const events = new EventSource(stream)
    events.onmessage = ({ data }) => setLatest(JSON.parse(data).event?.id ?? null)
    return () => events.close()
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
