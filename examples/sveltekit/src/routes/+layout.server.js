import { placardHtml } from 'placard/html'
import { placard } from '../lib/server/placard.js'

const fallback = { text: 'Read our new guide', type: 'post', slug: '/guide' }

export const load = async () => ({
  bar: placardHtml({ event: await placard.current(), fallback, locale: 'en' }),
})
