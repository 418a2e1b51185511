import { placardHtml } from 'placard/html'

const fallback = { text: 'Read our new guide', type: 'post', slug: '/guide' }

export default defineEventHandler(async () => {
  // Without an answer from the database, the page has the fallback.
  const event = await placard.current().catch(() => null)
  return placardHtml({ event, fallback, locale: 'en' })
})
