import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { build, serving, start } from './command-line.ts'
import { httpMount, publish } from './harness.ts'
import { site } from './site.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

const SECRETS = {
  EVENT_API_SECRET: 'api-secret-0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
}

describe('an output that nobody reads', () => {
  it('contract A12: the service goes on without its log, and ends with exit code 0', async () => {
    const environment = { ...SECRETS, PORT: '0' }
    const service = await serving(temporaryDirectory(), environment)
    service.child.stdout?.destroy()
    service.child.stderr?.destroy()
    const url = service.url.replace('localhost', '127.0.0.1')
    const mount = httpMount(url, SECRETS.EVENT_API_SECRET, SECRETS.STRIPE_WEBHOOK_SECRET)
    // Each write is a line of the log.
    for (let round = 0; round < 3; round++) expect((await publish(mount)).status).toBe(201)
    service.child.kill('SIGTERM')
    expect(await once(service.child, 'exit')).toEqual([0, null])
  })

  it('a command whose pipe is closed ends with exit code 0 and no error', async () => {
    const { url, asked } = await site(200, {}, '{"event":null}')
    const { child, finished } = start(temporaryDirectory(), {}, ['current', '--url', url])
    child.stdout?.destroy()
    expect(await finished).toMatchObject({ code: 0, stderr: '' })
    expect(asked).toEqual(['GET /api/events'])
  })
})
