'use client'

import { useRouter } from 'next/navigation.js'
import { useEffect, useState } from 'react'
import { follow } from '../browser/follow.ts'
import { bareTag } from '../core/etag.ts'

/**
 * While the page is out of date, it is requested again after pauses of 0.3, 0.6, 1.2, 2.4, 4.8 and 9.6 s. The first
 * responses may still be old: Next.js invalidates its cache only after the response to the write, and browsers show a
 * cached copy while they revalidate it (`stale-while-revalidate`). Another instance learns of a change within a second
 * (contract R3), and a page that was being rendered during the change may be out of date for 10 s.
 */
const RETRY_MS = 300
const MAX_TRIES = 7

/** The props of {@link PlacardLive}. */
export interface PlacardLiveProps {
  /** The `event?.etag` with which the page was rendered. An edit changes the ETag, but not the id. */
  etag: string | null | undefined
  /** The address of the stream. Default: `/api/events/stream`. */
  stream?: string | undefined
}

/**
 * Makes the server render the page again when the announcement changes. Readers keep their input and scroll position.
 * The component itself renders nothing.
 *
 * Cost: under 1 KB of script, and one open connection for each reader with the page in view. Without a stream, the
 * component polls: when the page returns to view, and once a minute while the page is in view.
 */
export function PlacardLive({
  etag = null,
  stream = '/api/events/stream',
}: PlacardLiveProps): null {
  const { refresh } = useRouter()
  /** The stream's last message. Each message is a new object, so even a repeated one makes the page render again. */
  const [latest, setLatest] = useState<{ etag: string | null } | undefined>()

  useEffect(() => {
    const left = new AbortController()
    let isOffered = false
    /** Whether the page may be out of date. A page that was rendered just now needs no request. */
    let isOld = document.hidden
    const show = (body: { event?: object | null }, tag: string) =>
      setLatest({ etag: body.event ? bareTag(tag) : null })
    const ask = async () => {
      const answer = await fetch(stream.replace(/\/stream$/, '')).catch(() => undefined)
      // A proxy may respond with a page of its own instead of JSON.
      const body = answer?.ok && (await answer.json().catch(() => undefined))
      const tag = answer?.headers.get('etag')
      if (body && tag) show(body, tag)
    }
    const [listen, hangUp] = follow(
      // The stream's worker needs an absolute address.
      () => new URL(stream, document.baseURI).href,
      (message) => {
        isOffered ||= !!message
        if (message) show(JSON.parse(message.data), message.lastEventId)
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
    if (latest === undefined || latest.etag === (etag && bareTag(etag))) return
    let timer: ReturnType<typeof setTimeout>
    const ask = (tries: number) => {
      refresh()
      if (tries < MAX_TRIES) timer = setTimeout(ask, RETRY_MS * 2 ** (tries - 1), tries + 1)
    }
    ask(1)
    return () => clearTimeout(timer)
  }, [latest, etag, refresh])

  return null
}
