import { expect, it } from 'vitest'
import { running } from './running.ts'

it('contract Settings, R5, R6: PUBLIC_PAGE=off turns off only the public page', async () => {
  const server = await running({ PUBLIC_PAGE: 'off' })
  const unknown = await (await server.fetch('/no-such-path')).json()
  expect(unknown).toEqual({ error: expect.any(String) })
  for (const asked of ['GET /', 'HEAD /', 'POST /', 'GET /?lang=de']) {
    const [method = '', path = ''] = asked.split(' ')
    const answer = await server.fetch(path, { method })
    expect(answer.status, asked).toBe(404)
    if (method !== 'HEAD') expect(await answer.json()).toEqual(unknown)
  }
  for (const path of ['/include.html', '/embed.js', '/placard.css', '/api/events']) {
    expect((await server.fetch(path)).status, path).toBe(200)
  }
})
