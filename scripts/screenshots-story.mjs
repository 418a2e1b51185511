/**
 * The animation in the README, for `npm run screenshots`: somebody publishes in a terminal, and the page beside it
 * updates. The command, its output and the page are real; only the typing is simulated. It needs `ffmpeg`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const WIDTH = 1200
const HEIGHT = 420
const FRAMES_PER_SECOND = 15
const MAX_BYTES = 600_000
const PUBLISH = ['publish', '25% off until Monday', '--type', 'coupon', '--for', '3d']
const WITHDRAW = ['withdraw', '--type', 'coupon']

/** @param {{ origin: string, program: string, secret: string, fileOf(name: string): string }} service */
export async function shootStory(browser, { origin, program, secret, fileOf }) {
  const run = async (args) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, ...args, '--url', origin],
      { env: { ...process.env, EVENT_API_SECRET: secret, TZ: 'UTC' } },
    )
    return stdout.trim().split('\n').slice(0, 3)
  }
  const site = createServer(({ url }, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(url === '/' ? stage() : host(origin))
  }).listen(0)
  await once(site, 'listening')
  const address = `http://localhost:${site.address().port}/`

  for (const colorScheme of ['light', 'dark']) {
    await run(['withdraw', '--type', 'coupon']).catch(() => {})
    const context = await browser.newContext({
      viewport: { width: WIDTH, height: HEIGHT },
      colorScheme,
      reducedMotion: 'no-preference',
    })
    const page = await context.newPage()
    await page.goto(address)
    const bar = page.frameLocator('iframe').locator('placard-link .placard')
    await bar.waitFor()
    const recording = await record(context, page)
    for (const args of [PUBLISH, WITHDRAW]) {
      await pause(700)
      for (const letter of line(args)) {
        await page.evaluate((one) => globalThis.type(one), letter)
        await pause(28)
      }
      await pause(350)
      const said = await run(args)
      await page.evaluate((lines) => globalThis.print(lines), said)
      await pause(args === PUBLISH ? 2_600 : 1_600)
    }
    await recording.save(fileOf(colorScheme === 'light' ? 'story' : 'story-dark'))
    await context.close()
  }
  site.close()
}

/** The command, as somebody with the program installed would type it. */
const line = (args) =>
  ['placard', ...args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg))].join(' ')

/** Records the frames that the browser draws, with their times. */
async function record(context, page) {
  const session = await context.newCDPSession(page)
  const frames = []
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    frames.push({ data, at: metadata.timestamp })
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => {})
  })
  await session.send('Page.startScreencast', { format: 'png' })
  return {
    async save(file) {
      await session.send('Page.stopScreencast')
      const folder = await mkdtemp(join(tmpdir(), 'placard-story-'))
      const end = frames.at(-1).at + 1.5
      const list = frames.map(({ at }, i) => {
        const shown = (frames[i + 1]?.at ?? end) - at
        return `file '${i}.png'\nduration ${shown.toFixed(3)}`
      })
      await Promise.all(
        frames.map(({ data }, i) => writeFile(join(folder, `${i}.png`), data, 'base64')),
      )
      await writeFile(join(folder, 'list'), list.join('\n'))
      const colours = 'split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none'
      const input = ['-f', 'concat', '-i', join(folder, 'list')]
      const output = ['-vf', `fps=${FRAMES_PER_SECOND},${colours}`, '-plays', '0', '-f', 'apng']
      execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, ...output, file])
      await rm(folder, { recursive: true })
      const { size } = await stat(file)
      if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}`)
    },
  }
}

/** A terminal on the left and a browser on the right. */
const stage =
  () => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Placard</title><style>
  :root { color-scheme: light dark; --line: light-dark(#e4e4e7, #27272a); --dim: light-dark(#71717a, #a1a1aa) }
  * { box-sizing: border-box }
  body { margin: 0; height: 100vh; display: grid; grid-template-columns: 30rem 1fr; gap: 1.25rem; padding: 1.25rem;
    background: light-dark(#f4f4f5, #09090b); color: light-dark(#18181b, #fafafa); font: 15px/1.6 ui-monospace, "DejaVu Sans Mono", monospace }
  section { border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; background: light-dark(#fff, #18181b);
    display: grid; grid-template-rows: 2.25rem 1fr; box-shadow: 0 1px 2px #0001, 0 8px 24px #0000000d }
  header { display: flex; align-items: center; gap: .4rem; padding: 0 .9rem; border-bottom: 1px solid var(--line); color: var(--dim);
    font: 12px/1 system-ui, sans-serif }
  header i { width: .6rem; height: .6rem; border-radius: 50%; background: var(--line) } header span { margin: 0 auto }
  pre { margin: 0; padding: 1rem 1.1rem; white-space: pre-wrap; overflow-wrap: break-word; font: inherit; font-size: 14px }
  pre .said { color: var(--dim) } pre b { display: inline-block; width: .55em; height: 1.15em; vertical-align: text-bottom; background: currentColor }
  iframe { width: 100%; height: 100%; border: 0 }
</style>
<section><header><i></i><i></i><i></i><span>Terminal</span></header><pre><span id="told">$ </span><b></b></pre></section>
<section><header><i></i><i></i><i></i><span>vesper.example</span></header><iframe src="/site"></iframe></section>
<script>
  const told = document.getElementById('told')
  globalThis.type = (letter) => told.append(letter)
  globalThis.print = (lines) => {
    const said = Object.assign(document.createElement('span'), { className: 'said', textContent: '\\n' + lines.join('\\n') })
    told.append(said, '\\n\\n$ ')
  }
</script></html>`

/** A made-up site with the bar. */
const host = (
  origin,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Vesper</title><style>
  :root { color-scheme: light dark }
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #0f0f12); color: light-dark(#18181b, #fafafa) }
  nav { display: flex; gap: 1.5rem; padding: 1rem 1.75rem; align-items: center; font-size: 14px; color: light-dark(#52525b, #a1a1aa) }
  nav b { margin-right: auto; font-size: 16px; color: light-dark(#18181b, #fafafa) }
  main { text-align: center; padding: 2rem } h1 { font-size: 2.1rem; letter-spacing: -.02em; line-height: 1.15; margin: .5rem 0 }
  p { color: light-dark(#52525b, #a1a1aa) }
</style><nav><b>Vesper</b><span>Product</span><span>Pricing</span><span>Docs</span></nav>
<style>placard-link:not([hidden]) { display: block; min-height: 3.25rem }</style>
<placard-link></placard-link>
<script src="${origin}/embed.js" async></script>
<main><h1>Search that keeps up<br>with your shop</h1><p>Every product, found as it is typed.</p></main></html>`
