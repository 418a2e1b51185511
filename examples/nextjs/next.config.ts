import type { NextConfig } from 'next'

const config: NextConfig = {
  cacheComponents: true,
  partialPrefetching: true,
  // The repository around this example has a lock file of its own.
  turbopack: { root: import.meta.dirname },
  redirects: async () => [
    {
      source: '/',
      has: [{ type: 'header', key: 'accept-language', value: 'de.*' }],
      destination: '/de',
      permanent: false,
    },
    { source: '/', destination: '/en', permanent: false },
  ],
}

export default config
