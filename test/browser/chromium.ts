import { existsSync, mkdtempSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sparticuz from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import manifest from '../../package.json' with { type: 'json' }
import { afterTest } from '../after-file.ts'
import { LIMIT_MS } from '../limit.ts'

/** Keeps the browser from calling its vendor's services. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-first-run',
  '--no-pings',
  // Rendering without a GPU takes less CPU than emulating one.
  '--disable-gpu',
  '--disable-software-rasterizer',
]

/** The npm package's Chromium runs only on Linux x64. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Launches the npm package's Chromium or, failing that, one installed on this machine. The sandbox is off only where
 * Chromium can't start with it: as root, and in containers without user namespaces.
 */
export async function launchChromium(): Promise<Browser> {
  const root = process.getuid?.() === 0
  const places = [unpacked, ...INSTALLED.map((path) => () => path)]
  const faults: unknown[] = []
  for (const place of places) {
    for (const chromiumSandbox of root ? [false] : [true, false]) {
      try {
        const executablePath = await place()
        if (!existsSync(executablePath)) continue
        return await chromium.launch({
          executablePath,
          chromiumSandbox,
          args: QUIET,
          ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
        })
      } catch (error) {
        faults.push(error)
      }
    }
  }
  throw new AggregateError(faults, 'No Chromium starts here')
}

/**
 * Whether Chromium has enough shared memory: containers often have only 64 MiB. Without enough, Chromium constantly
 * creates and deletes temporary files instead.
 */
function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 2 ** 30
  } catch {
    return false
  }
}

let shared: Promise<Browser> | undefined

/**
 * Opens a browser context for the rest of the test, in the worker's one browser: starting a browser takes a second of
 * CPU time. The browser ends with the worker.
 */
export async function visitor(options: BrowserContextOptions): Promise<BrowserContext> {
  shared ??= launchChromium()
  const context = await (await shared).newContext(options)
  context.setDefaultTimeout(LIMIT_MS)
  afterTest(() => context.close())
  return context
}

/** Opens a page in a context of its own. */
export async function pageOf(options: BrowserContextOptions = {}): Promise<Page> {
  return (await visitor(options)).newPage()
}

/**
 * Unpacks this version of the package's Chromium into a temporary directory for each user, because another user
 * couldn't start it. One rename puts it there, because several test files may need it at the same time.
 */
async function unpacked(): Promise<string> {
  const version = manifest.devDependencies['@sparticuz/chromium']
  const home = join(tmpdir(), `placard-chromium-${version}-${process.getuid?.() ?? ''}`)
  const executable = join(home, 'chromium')
  if (existsSync(executable)) return executable

  const before = process.env.TMPDIR
  const draft = mkdtempSync(`${home}-`)
  try {
    process.env.TMPDIR = draft
    await sparticuz.executablePath()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  try {
    renameSync(draft, home)
  } catch {
    // Another process was faster.
    rmSync(draft, { recursive: true })
  }
  return executable
}
