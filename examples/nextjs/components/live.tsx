import { PlacardLive } from 'placard/next/live'
import { placard } from '@/placard'

/** Opt-in: a page with this on it follows the stream and is rendered again when the bar changes. */
export async function Live() {
  'use cache'
  const event = await placard.current()
  return <PlacardLive etag={event?.etag} />
}
