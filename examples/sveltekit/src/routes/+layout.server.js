import { placardHtml } from 'placard/html'
import { placard } from '../lib/server/placard.js'

const fallback = { text: 'Read our new guide', type: 'post', slug: '/guide' }

export const load = async () => {
  // Without an answer from the database, the page has the fallback.
  const event = await placard.current().catch(() => null)
  return { bar: placardHtml({ event, fallback, locale: 'en' }) }
}
