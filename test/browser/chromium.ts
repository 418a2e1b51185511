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

/** Tests and screenshots need no service of the browser's maker. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-first-run',
  '--no-pings',
  // Without a GPU, Chromium draws with less work than an emulated one needs.
  '--disable-gpu',
  '--disable-software-rasterizer',
]

/** The Chromium of the package runs on Linux with x64 only. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * The Chromium of the package registry, or else one that the machine has. It goes without its sandbox only where it
 * can't start with it: for root, and in containers that allow no user namespaces.
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
 * Whether there is enough shared memory for Chromium, as containers often have 64 MiB. Otherwise it takes files, and makes
 * and removes them all the time.
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
 * A visitor of their own for the rest of a test, in the browser of this worker, because a start takes a second of a core.
 * The browser ends with the worker.
 */
export async function visitor(options: BrowserContextOptions): Promise<BrowserContext> {
  shared ??= launchChromium()
  const context = await (await shared).newContext(options)
  context.setDefaultTimeout(LIMIT_MS)
  afterTest(() => context.close())
  return context
}

/** Such a visitor's first page. */
export async function pageOf(options: BrowserContextOptions = {}): Promise<Page> {
  return (await visitor(options)).newPage()
}

/**
 * Unpacks this version of the package's Chromium into a temporary directory of each user's own, because another user
 * couldn't start it. It gets there in one move, because several test files may need it at the same moment.
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
    // Another was faster.
    rmSync(draft, { recursive: true })
  }
  return executable
}
