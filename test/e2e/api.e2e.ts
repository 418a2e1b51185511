import { inject } from 'vitest'
import { httpMount } from '../harness.ts'
import { apiSuite, rateLimitSuite } from '../suites/api.ts'

const mount = async () => ({ ...httpMount(inject('url')), inNext: true })

apiSuite('in Next.js', mount)
rateLimitSuite('in Next.js', mount)
