import node from '@astrojs/node'
import { defineConfig } from 'astro/config'

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  // Stripe and the command line send no `Origin`, and the bearer or the signature guards every write.
  security: { checkOrigin: false },
})
