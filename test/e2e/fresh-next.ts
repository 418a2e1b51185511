import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followBasePath, followGuide, followServerlessGuide, put, takeFontsOut } from './guide.ts'
import { pack, QUICK, run } from './npm.ts'
import { NEXT, type NodeCommand, type Served, type Serving, serve } from './serve.ts'

const CREATE = 'create-next-app@16.4.3'
/** Answers to all questions of `create-next-app`. Otherwise, it would reuse the last answers given on this machine. */
const CHOICES = ['--yes', '--ts', '--app', '--no-eslint', '--no-src-dir', '--no-react-compiler']
const SKIPPED = ['--skip-install', '--disable-git']

export interface Kind {
  name: string
  tailwind?: boolean
  cacheComponents?: boolean
  /** Whether its pages are live, and below `/shop`. */
  basePath?: boolean
  /** Whether it is for platforms where no process stays alive. */
  serverless?: boolean
  /** The Node that builds it. Default: the Node of this run. */
  node?: NodeCommand | undefined
  /** Further files, by their paths. */
  extra?: Record<string, string>
}

export interface FreshApp {
  directory: string
  start(environment: Record<string, string>, serving?: Serving): Promise<Served>
}

/**
 * Apps as `create-next-app` creates them, with this package installed from its archive and the guide's own code added.
 * Only a kind's `extra` files, and the cache and the slow page of a serverless app, were written for the tests. The
 * fonts are removed, because they would be downloaded.
 *
 * The packages are installed once, for the first app.
 *
 * @param kinds all kinds that will be requested, in that order
 */
export function freshApps(kinds: Kind[]) {
  const home = mkdtempSync(join(tmpdir(), 'placard-next-'))
  const started: Promise<Served>[] = []
  let packages: string | undefined
  const made = new Map<Kind, Promise<FreshApp>>()

  async function install(directory: string) {
    const modules = join(directory, 'node_modules')
    // Hard links take a second for hundreds of megabytes.
    if (packages) return run(home, 'cp', ['-al', packages, modules])
    await run(directory, 'npm', ['install', ...QUICK, await pack(home)])
    packages = modules
  }

  async function make(kind: Kind): Promise<FreshApp> {
    const { name, tailwind, cacheComponents = false, basePath, serverless, node } = kind
    const folder = `app-${made.size}`
    const directory = join(home, folder)
    const flags = [`--${tailwind ? '' : 'no-'}tailwind`]
    flags.push(`--${cacheComponents ? '' : 'no-'}cache-components`)
    await timed(`${name}: created`, () =>
      run(home, 'npx', ['--yes', CREATE, folder, ...CHOICES, ...SKIPPED, ...flags], {
        // It stores these answers here, so that the user's next app doesn't get them.
        XDG_CONFIG_HOME: home,
      }),
    )
    await timed(`${name}: packages installed`, () => install(directory))
    takeFontsOut(directory)
    if (serverless) followServerlessGuide(directory)
    else followGuide(directory, cacheComponents)
    if (basePath) followBasePath(directory, cacheComponents)
    for (const [path, text] of Object.entries(kind.extra ?? {})) put(directory, path, text)
    const { command = process.execPath, environment = {} } = node ?? {}
    await timed(`${name}: built`, () => run(directory, command, [NEXT, 'build'], environment))
    return {
      directory,
      start(environment, serving) {
        const served = serve(directory, environment, serving)
        started.push(served)
        return served
      },
    }
  }

  function begin(kind: Kind): Promise<FreshApp> {
    const app = made.get(kind) ?? make(kind)
    made.set(kind, app)
    // The caller gets the failure.
    app.catch(() => {})
    return app
  }

  return {
    /** Creates an app when it is first requested, and begins the next one, because tests of an app mostly wait. */
    async of(kind: Kind): Promise<FreshApp> {
      const app = await begin(kind)
      const next = kinds[kinds.indexOf(kind) + 1]
      if (next) begin(next)
      return app
    },
    async remove() {
      await Promise.allSettled(made.values())
      await Promise.allSettled(started.map(async (served) => (await served).end()))
      rmSync(home, { recursive: true })
    },
  }
}

/** Prints how long the work took, which can be minutes. */
async function timed(what: string, work: () => unknown): Promise<void> {
  const begun = performance.now()
  await work()
  process.stderr.write(`${what} in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`)
}
