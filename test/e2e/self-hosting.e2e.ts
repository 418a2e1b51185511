import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { front } from '../doctor/stage.ts'
import { freePort } from '../free-port.ts'
import { type Cluster, startCluster } from '../postgres/cluster.ts'
import { blockAfter } from '../printed.ts'
import { site } from '../site.ts'
import { temporaryDirectory } from '../stores.ts'
import { reader } from './reader.ts'

/**
 * Does what systemd would do with the guide's unit: starts the service with the settings file, in the service's folder,
 * and returns once it listens.
 */
const SYSTEMCTL = `
  case "$1" in
    daemon-reload) ;;
    stop) kill "$(cat "$ROOT/pid")"; while kill -0 "$(cat "$ROOT/pid")" 2>/dev/null; do sleep 0.05; done ;;
    start | enable)
      cd "$ROOT/var/lib/placard"
      ( set -a; . "$ROOT/etc/placard.env"; exec placard serve ) >>"$ROOT/log" 2>&1 &
      echo $! >"$ROOT/pid"
      until curl --silent --fail --output /dev/null "localhost:$PORT/healthz"; do sleep 0.05; done ;;
  esac`

const root = temporaryDirectory()
const secret = 'a-secret-of-the-guide-0123456789'
let one: ReturnType<typeof reader>
let url: string
let port: number
let cluster: Cluster | undefined

beforeAll(async () => {
  port = await freePort()
  url = `http://localhost:${port}`
  for (const folder of ['etc', 'var/lib/placard', 'var/backups'])
    mkdirSync(join(root, folder), { recursive: true })
  one = reader({ systemctl: SYSTEMCTL }, join(root, 'var/lib/placard'))
})
afterAll(async () => {
  await one.run('kill "$(cat "$ROOT/pid")"', { ROOT: root }).catch(() => {})
  await cluster?.remove()
})

/** Runs a block with the paths and addresses of this test. */
const run = (block: string, more: Record<string, string> = {}) =>
  one.run(
    block
      .replaceAll(/\/(?=etc\/placard|var\/(lib|backups))/g, `${root}/`)
      .replaceAll('2027-01-04', new Date().toISOString().slice(0, 10))
      .replaceAll(/https:\/\/notices\.example|http:\/\/localhost:8080/g, url)
      .replaceAll('localhost:3000', `localhost:${port}`),
    { ROOT: root, PORT: String(port), EVENT_API_SECRET: secret, ...more },
  )
const shown = async () => (await (await fetch(`${url}/api/events`)).json()).event?.text

it('docs/self-hosting.md: its commands install, start, publish, check, back up and restore', async () => {
  const proxy = await front()
  proxy.target = url
  const settings = blockAfter('docs/self-hosting.md', '`/etc/placard.env`')
    .replace('EVENT_API_SECRET=', `EVENT_API_SECRET=${secret}`)
    .replaceAll('/var/lib', `${root}/var/lib`)
    .replace('https://notices.example', proxy.url)
  writeFileSync(join(root, 'etc/placard.env'), `${settings}PORT=${port}\n`, { mode: 0o600 })
  expect(await run(blockAfter('docs/self-hosting.md', 'WantedBy=multi-user.target'))).toContain(
    '"ok":true',
  )

  await run(blockAfter('docs/self-hosting.md', '## Commands'))
  expect(await shown()).toBe('We wrote about caching')

  const { url: page } = await site(
    200,
    { 'content-type': 'text/html' },
    `<body><script src="${url}/embed.js" async></script>`,
  )
  const looks = [
    blockAfter('docs/self-hosting.md', '## When something is wrong'),
    blockAfter('docs/self-hosting.md', 'the unit above'),
    blockAfter('docs/self-hosting.md', 'a page that should have the bar').replace(
      'https://example.com',
      page,
    ),
  ]
  for (const look of looks)
    expect(await run(look)).toMatch(/\n\n(No problems found|0 failed.*), \d+ skipped\.\n$/)

  const publish = (text: string) => run(`placard publish "${text}" --url ${url}`)
  await run(blockAfter('docs/self-hosting.md', '## Back up'))
  await publish('After the backup')
  await run(blockAfter('docs/self-hosting.md', '## Restore'))
  expect(await shown()).toBe('We wrote about caching')

  await publish('Into the file that was restored')
  expect(await shown()).toBe('Into the file that was restored')
})

it('docs/scaling.md: one command starts a node', async () => {
  cluster = await startCluster()
  const command = blockAfter('docs/scaling.md', '## Several nodes')
    .replace(/postgres:\S+/, cluster.url())
    .replace('EVENT_API_SECRET=…', `EVENT_API_SECRET=${secret}`)
    .replace('STRIPE_WEBHOOK_SECRET=…', `STRIPE_WEBHOOK_SECRET=whsec_${secret}`)
  const PORT = String(await freePort())
  await run(
    `${command.trim()} >"$ROOT/node" 2>&1 & echo $! >"$ROOT/node-pid"
    until curl --silent --fail "localhost:$PORT/readyz"; do sleep 0.05; done
    kill "$(cat "$ROOT/node-pid")"`,
    { PORT },
  )
  expect(readFileSync(join(root, 'node'), 'utf8')).toContain('"listening"')
})
