import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { afterFile } from '../after-file.ts'
import { lacks, skipAloud } from '../aloud.ts'
import { pageOf } from '../browser/chromium.ts'
import { serving } from '../command-line.ts'
import { freePort } from '../free-port.ts'
import { DRAFT, httpMount, type Mount, publish, SECRETS } from '../harness.ts'
import { startProxy, type Proxy as Wire } from '../postgres/proxy.ts'
import { blockAfter } from '../printed.ts'
import { listen } from '../raw.ts'
import { soon } from '../soon.ts'
import { spawned } from '../spawned.ts'
import { temporaryDirectory } from '../stores.ts'
import { PURGE_TOKEN } from './varnish-server.ts'

/** The guide's ways to put the bar into a page's own HTML, each with the real server (contract R15). */

interface Place {
  directory: string
  /** Where the site listens, and where Placard does. */
  port: number
  placard: number
}

interface Kind {
  name: 'nginx' | 'Varnish' | 'PHP'
  program: string
  needs: 'nginx and Linux' | 'Varnish' | 'PHP with SQLite, and unzip'
  /** The page as the guide prints it. */
  page: string
  /** Starts the guide's server. Resolves with its process. */
  start(
    page: string,
    place: Place,
  ): Promise<ReturnType<typeof spawned>> | ReturnType<typeof spawned>
  /** Whether Placard purges it. */
  purged?: true
}

const KINDS: Kind[] = [
  {
    name: 'nginx',
    program: 'nginx',
    needs: 'nginx and Linux',
    page: blockAfter('docs/include.md', 'With SSI, nginx puts'),
    start(page, { directory, port, placard }) {
      writeFileSync(join(directory, 'index.html'), page)
      const block = blockAfter('docs/include.md', "In the server's configuration:")
        .replaceAll('/var/cache/nginx', directory)
        .replaceAll('/var/www/site', directory)
        .replace('listen 80', `listen 127.0.0.1:${port}`)
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${placard}`)
      const file = join(directory, 'nginx.conf')
      writeFileSync(
        file,
        `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${directory}/pid; error_log stderr;
        events {}
        http { access_log off; default_type text/html; ${block} }`,
      )
      return spawned('nginx', ['-e', 'stderr', '-p', directory, '-c', file], { detached: true })
    },
  },
  {
    name: 'Varnish',
    program: 'varnishd',
    needs: 'Varnish',
    page: blockAfter('docs/include.md', 'it can put the bar into pages with ESI'),
    async start(page, { directory, port, placard }) {
      const site = createServer((_, response) =>
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
      )
      const own = await listen(site, afterFile)
      const vcl = blockAfter('docs/include.md', 'the address of this Varnish')
        .replace('"8080"', `"${own}"`)
        .replace('"3000"', `"${placard}"`)
        .replace('change-this-token', PURGE_TOKEN)
      const file = join(directory, 'site.vcl')
      writeFileSync(file, vcl)
      mkdirSync(join(directory, 'work'))
      const args = ['-F', '-j', 'none', '-n', join(directory, 'work'), '-f', file]
      const place = ['-a', `127.0.0.1:${port}`, '-s', 'malloc,32m']
      return spawned('varnishd', [...args, ...place], { detached: true })
    },
    purged: true,
  },
  {
    name: 'PHP',
    program: 'php',
    needs: 'PHP with SQLite, and unzip',
    page: blockAfter('docs/include.md', 'In the page:\n\n```php'),
    start(page, { directory, port, placard }) {
      const code = blockAfter('docs/include.md', 'so that folder must be writable')
      const own = code.replace('127.0.0.1:3000', `127.0.0.1:${placard}`)
      writeFileSync(join(directory, 'index.php'), `<?php\n${own}?>${page}`)
      const env = { ...process.env, PHP_CLI_SERVER_WORKERS: '4' }
      return spawned('php', ['-S', `127.0.0.1:${port}`, '-t', directory], { env, detached: true })
    },
  },
]

const NOTHING = '<placard-link></placard-link>'
const WITH_BAR = /<placard-link><template shadowrootmode="open".*?<\/template><\/placard-link>/gs

describe.each(KINDS)(
  'a page with the bar in its HTML, built with the guide’s $name example',
  (kind) => {
    const missing = process.platform !== 'linux' || lacks(kind.program)
    let service: Awaited<ReturnType<typeof serving>>
    let wire: Wire
    let mount: Mount
    let site: string

    beforeAll(async () => {
      if (missing) return
      const directory = temporaryDirectory()
      const port = await freePort()
      site = `http://127.0.0.1:${port}`
      const purge = kind.purged && { PURGE: `varnish:${site}`, PURGE_TOKEN }
      service = await serving(directory, { ...SECRETS, PORT: '0', TRUST_PROXY: '1', ...purge })
      afterFile(() => void service.child.kill('SIGKILL'))
      wire = await startProxy(service.url)
      afterFile(wire.close)
      mount = httpMount(service.url)
      // A second element, whose invalid parameter gets an error.
      const wrong = kind.page.replace('lang=en', 'lang=!')
      const page =
        `<!doctype html><html lang="en"><title>A site</title>${kind.page}${wrong}<p>The page</p>`.replaceAll(
          'https://notices.example',
          service.url,
        )
      const place = {
        directory: temporaryDirectory(),
        port,
        placard: Number(new URL(wire.url).port),
      }
      const server = await kind.start(page, place)
      afterFile(async () => {
        // The whole group, because PHP's workers may outlive the process that started them.
        process.kill(-Number(server.child.pid))
        await server.ended
      })
      await soon(async () => {
        if (server.child.exitCode !== null) return
        expect((await fetch(site)).status).toBe(200)
      })
      expect(server.child.exitCode, server.written()).toBe(null)
    })
    beforeEach((context) => skipAloud(context, missing, kind.needs))

    const html = async (headers = {}) => {
      const response = await fetch(site, { headers })
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).toContain('<p>The page</p>')
      return text
    }
    /** Waits until the page has a bar with this text or, if there is no text, no bar. */
    const shows = (text: string | undefined) =>
      soon(async () => {
        const bars = (await html()).match(WITH_BAR) ?? []
        expect(bars).toHaveLength(text === undefined ? 0 : 1)
        if (text) expect(bars[0]).toContain(text)
      })
    const put = async (text: string) =>
      expect((await publish(mount, { ...DRAFT, text })).status).toBe(201)
    /** How long the slowest of several pages took, in ms. */
    async function slowest(): Promise<number> {
      let most = 0
      for (let i = 0; i < 10; i++) {
        const before = performance.now()
        const text = await html()
        if (i > 0) expect(text).not.toMatch(WITH_BAR)
        most = Math.max(most, performance.now() - before)
      }
      return most
    }

    it('contract R15: has the bar, and an error from Placard leaves no trace', async () => {
      await put('In the page itself')
      await shows('In the page itself')
      const text = await html()
      expect(text.split(NOTHING)).toHaveLength(2)
      expect(text).not.toContain('invalid_parameter')
    })

    it('contract R15: passes no cookie, credentials or Range header of the reader on to Placard', async () => {
      const sent: string[] = []
      wire.inspect = (chunk, direction) => {
        if (direction === 'up') sent.push(String(chunk).toLowerCase())
        return true
      }
      const secret = { cookie: 'session=secret', authorization: 'Bearer secret' }
      await soon(async () => {
        await html({
          ...secret,
          'accept-encoding': 'br',
          'accept-language': 'de',
          range: 'bytes=0-9999',
        })
        expect(sent.join('')).toContain('get /include.html?lang=en ')
      })
      wire.inspect = () => true
      expect(sent.join('')).not.toMatch(/secret|cookie|authorization|accept-encoding: br|range:/)
    })

    it('contract R15: shows the bar without a script, and the script keeps that bar and updates it', async () => {
      await put('Seen without a script')
      await shows('Seen without a script')
      const plain = await pageOf({ javaScriptEnabled: false })
      await plain.goto(site)
      const bar = plain.locator('placard-link .placard').first()
      expect(await bar.boundingBox()).toMatchObject({ height: 36 })
      expect(await bar.locator('a').getAttribute('href')).toBe(DRAFT.slug)

      const page = await pageOf()
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const stream = page.waitForRequest(/\/stream\?/)
      await page.goto(site)
      await stream
      expect(asked.filter((path) => /embed\.json|include/.test(path))).toEqual([])
      await put('Followed by the script')
      await page.locator('placard-link .placard-text', { hasText: 'Followed' }).first().waitFor()
    })

    it('contract R15: shows a change within two seconds, or at once if Placard purges the cache', async () => {
      await put('Before')
      await shows('Before')
      await put('After')
      const answered = performance.now()
      let last = answered
      for (;;) {
        const asked = performance.now()
        if ((await html()).includes('After')) break
        last = asked
      }
      expect(last - answered).toBeLessThan(kind.purged ? 1 : 2_000)
    })

    if (kind.purged)
      it('contract R13, R15: shows each of 1,000 changes on the first request after it, while others read', async () => {
        let over = false
        const readers = Array.from({ length: 4 }, async () => {
          while (!over) await html()
        })
        let late = 0
        try {
          for (let i = 0; i < 1_000; i++) {
            await put(`Change ${i}`)
            if (!(await html()).includes(`>Change ${i}<`)) late++
          }
        } finally {
          over = true
          await Promise.all(readers)
        }
        process.stdout.write(`${kind.name}: ${late} of 1,000 changes late\n`)
        expect(late).toBe(0)
      })

    it('contract R15: loads without a bar within a second while Placard is frozen or stopped', async () => {
      await put('Before it was away')
      await shows('Before it was away')
      /** Checks that pages load without a bar, and how quickly. */
      async function loadsWithout(state: string) {
        if (kind.purged) await ban(site)
        await shows(undefined)
        const ms = await slowest()
        process.stdout.write(
          `${kind.name}: Placard ${state}, slowest of 10 pages ${ms.toFixed(0)} ms\n`,
        )
        expect(ms).toBeLessThan(1_000)
      }
      service.child.kill('SIGSTOP')
      await loadsWithout('frozen')
      service.child.kill('SIGCONT')
      await shows('Before it was away')
      service.child.kill('SIGKILL')
      await service.finished
      await loadsWithout('stopped')
    })
  },
)

/** Purges Varnish as Placard does. */
const ban = (url: string) =>
  fetch(url, {
    method: 'PURGE',
    headers: { Authorization: `Bearer ${PURGE_TOKEN}`, 'Surrogate-Key': 'event' },
  })
