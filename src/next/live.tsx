'use client'

import { useRouter } from 'next/navigation.js'
import { useEffect, useState } from 'react'
import { follow } from '../browser/follow.ts'

/**
 * The page is asked for again after 0.3, 0.6, 1.2, 2.4, 4.8 and 9.6 s. The first request may get what was before: Next.js tells
 * its cache only once the write is answered, and lets browsers show what they have while they ask
 * (`stale-while-revalidate`). Another instance hears of a change within a second (contract R3). A page that was being rendered
 * meanwhile shows for 10 s what was before.
 */
const RETRY_MS = 300
const MAX_TRIES = 7

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
    const left = new AbortController()
    let isOffered = false
    /** Not so soon after it was rendered. */
    let isOld = document.hidden
    const show = (body: { event?: { id: string } | null }) =>
      setLatest({ id: body.event?.id ?? null })
    const ask = async () => {
      const answer = await fetch(stream.replace(/\/stream$/, '')).catch(() => undefined)
      // Something in between may answer with a page of its own.
      const body = answer?.ok && (await answer.json().catch(() => undefined))
      if (body) show(body)
    }
    const [listen, hangUp] = follow(
      stream,
      (id, data) => {
        isOffered ||= id !== ''
        if (data) show(JSON.parse(data))
        else if (isOld && !isOffered && !document.hidden && !left.signal.aborted) ask()
        isOld = true
      },
      () => listen(),
      left.signal,
    )
    listen()
    return () => {
      left.abort()
      hangUp()
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
