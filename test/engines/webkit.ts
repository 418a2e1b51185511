import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { type Engine, type Kind, type Look, SIZE, type Tab } from './engine.ts'

const DRIVER = '/usr/bin/WebKitWebDriver'
const DISPLAY = '/usr/bin/Xvfb'
const [browser = ''] = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser')

/** The keys' values in WebDriver. */
const KEYS = { Tab: '\ue004', ' ': ' ' }

/** WebKitGTK's small browser, driven over WebDriver, on a virtual display. */
export const webkit: Kind = {
  name: 'WebKit',
  lacking:
    existsSync(DRIVER) && existsSync(DISPLAY) && browser !== ''
      ? undefined
      : 'WebKitGTK, and a display that nobody sees',
  launch(): Engine {
    // A browser takes seconds to start, and its preferences can't be changed later.
    const sessions = new Map<string, Promise<Session>>()
    let last: Session | undefined
    return {
      narrowest: 500,
      forcedColours: false,
      async open(look: Look = {}) {
        const { size = SIZE, ...wanted } = look
        const key = JSON.stringify(wanted)
        const session = sessions.get(key) ?? start(wanted)
        sessions.set(key, session)
        // Clears what the previous tab stored, and stops its animations.
        await last?.tab.evaluate(() => location.protocol.startsWith('http') && localStorage.clear())
        await last?.send('DELETE', '/cookie')
        await last?.tab.goto('about:blank')
        last = await session
        await resize(last, size)
        return last.tab
      },
      async close() {
        for (const session of sessions.values()) await (await session).end()
      },
    }
  },
}

interface Session {
  tab: Tab
  send: Send
  /** The window's frame around the page: width and height. */
  frame: [number, number]
  end(): Promise<void>
}

async function start({ scheme, motion, scale = 1 }: Look): Promise<Session> {
  const home = mkdtempSync(join(tmpdir(), 'placard-webkit-'))
  const processes: ChildProcess[] = []
  async function end() {
    for (const process of processes.reverse()) {
      process.kill()
      await once(process, 'exit')
    }
    rmSync(home, { recursive: true, force: true })
  }
  const display = spawn(DISPLAY, ['-displayfd', '3', '-screen', '0', '2800x2400x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  processes.push(display)
  const number = String((await once(display.stdio[3] as NodeJS.ReadableStream, 'data'))[0]).trim()
  mkdirSync(join(home, 'gtk-3.0'))
  const still = `[Settings]\ngtk-enable-animations=${motion !== 'reduce'}\n`
  writeFileSync(join(home, 'gtk-3.0/settings.ini'), still)
  const port = await freePort()
  const env = {
    ...process.env,
    DISPLAY: `:${number}`,
    GDK_SCALE: String(scale),
    // Without a graphics card, compositing takes seconds for each frame.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    XDG_CACHE_HOME: home,
  }
  processes.push(spawn(DRIVER, [`--port=${port}`], { stdio: 'ignore', env }))
  try {
    const dark = scheme === 'dark' ? ['--dark-mode'] : []
    const send = await connect(`http://127.0.0.1:${port}`, ['--automation', ...dark])
    return { tab: tabOf(send), send, frame: [0, 0], end }
  } catch (error) {
    await end()
    throw error
  }
}

type Send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>

/** Starts a WebDriver session. */
async function connect(driver: string, args: string[]): Promise<Send> {
  const late = AbortSignal.timeout(10_000)
  while (!(await fetch(`${driver}/status`).catch(() => undefined))) late.throwIfAborted()
  const send =
    (base: string): Send =>
    async (method, path, body) => {
      const sent = body && { body: JSON.stringify(body) }
      const answer = await fetch(base + path, { method, ...sent })
      const { value } = (await answer.json()) as { value: unknown }
      if (!answer.ok) throw new Error(`WebDriver: ${JSON.stringify(value)}`)
      return value
    }
  const options = { binary: browser, args }
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
  const { sessionId } = (await send(driver)('POST', '/session', { capabilities })) as {
    sessionId: string
  }
  return send(`${driver}/session/${sessionId}`)
}

function tabOf(send: Send): Tab {
  const act = (type: string, actions: object[]) =>
    send('POST', '/actions', { actions: [{ type, id: type, actions }] })
  return {
    async goto(url) {
      await send('POST', '/url', { url })
    },
    async evaluate(run, arg) {
      const script = `
        const [arg, done] = arguments
        new Promise((resolve) => resolve((${run})(arg))).then(
          (value) => done({ value }),
          (error) => done({ error: String(error) }),
        )`
      const result = await send('POST', '/execute/async', { script, args: [arg ?? null] })
      const { value, error } = result as { value: never; error?: string }
      if (error) throw new Error(error)
      return value
    },
    async screenshot() {
      // WebDriver waits for the next frame, and a page without motion has none. This changes nothing that is visible.
      await this.evaluate(() => {
        const steps = { outlineOffset: ['0px', '9px'] }
        document.documentElement.animate(steps, { duration: 5_000, iterations: 9, id: 'frames' })
      })
      const picture = Buffer.from(String(await send('GET', '/screenshot')), 'base64')
      await this.evaluate(() => {
        for (const one of document.getAnimations()) if (one.id === 'frames') one.cancel()
      })
      return picture
    },
    async hover(x, y) {
      await act('pointer', [
        { type: 'pointerMove', duration: 0, x: Math.round(x), y: Math.round(y) },
      ])
    },
    async press(key) {
      const value = KEYS[key]
      await act('key', [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
    },
  }
}

/** A window's size includes its frame. Only the page can measure the frame, and it learns its new size late. */
async function resize({ tab, send, frame }: Session, size: readonly [number, number]) {
  const [wide, high] = size
  for (let tries = 0; tries < 5; tries++) {
    const rect = { x: 0, y: 0, width: wide + frame[0], height: high + frame[1] }
    await send('POST', '/window/rect', rect)
    const [w, h] = await tab.evaluate(async (size) => {
      const has = () => [innerWidth, innerHeight]
      const late = performance.now() + 1_000
      while (String(has()) !== String(size) && performance.now() < late) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return has() as [number, number]
    }, size)
    if (w === wide && h === high) return
    frame[0] += wide - w
    frame[1] += high - h
  }
  throw new Error(`The window has no size of ${wide} by ${high} px`)
}
