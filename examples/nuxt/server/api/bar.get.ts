import { placardHtml } from 'placard/html'

const fallback = { text: 'Read our new guide', type: 'post', slug: '/guide' }

export default defineEventHandler(async () =>
  placardHtml({ event: await placard.current(), fallback, locale: 'en' }),
)
