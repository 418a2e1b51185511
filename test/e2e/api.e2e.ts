import { inject } from 'vitest'
import { httpMount } from '../harness.ts'
import { apiSuite } from '../suites/api.ts'
import { rateLimitSuite } from '../suites/rate-limit.ts'

const mount = async () => ({ ...httpMount(inject('url')), inNext: true })

apiSuite('in Next.js', mount)
rateLimitSuite('in Next.js', mount)
