import { inject } from 'vitest'
import { API_SECRET, httpMount, STRIPE_SECRET } from '../harness.ts'
import { apiSuite } from '../suites/api.ts'
import { rateLimitSuite } from '../suites/rate-limit.ts'

const mount = async () => ({
  ...httpMount(inject('url'), API_SECRET, STRIPE_SECRET),
  inNext: true,
})

apiSuite('in Next.js', mount)
rateLimitSuite('in Next.js', mount)
