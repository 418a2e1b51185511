import { type BarContent, PlacardBar } from 'placard/react'
import { placard } from '@/placard'

/** The announcement, or the locale's own text when there is none. Cached, and free of client script. */
export async function Bar({ fallback, locale }: { fallback: BarContent; locale: string }) {
  'use cache'
  const event = await placard.current()
  return <PlacardBar event={event} fallback={fallback} locale={locale} />
}
