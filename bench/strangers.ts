import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster } from '../test/postgres/cluster.ts'
import { onCore, SECRET, startPlacard } from './processes.ts'
import { median, type Row } from './report.ts'

/** What others notice while one connection, without a credential, sends requests and never waits for answers. */
export async function benchStrangers(
  seconds: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const cluster = await startCluster()
  const stores = { SQLite: {}, Postgres: { DATABASE_URL: cluster.url() } }
  const rows: Row[] = []
  try {
    for (const [store, env] of Object.entries(stores)) {
      for (const asked of ['readyz', 'reads', 'writes', 'notifications']) {
        progress(`strangers: a pipeline of ${asked}, ${store}`)
        const seen = await beside(['pipeline', asked], env, seconds)
        const what = `pipeline of ${asked}, ${store}`
        rows.push(
          below(`${what}: GET meanwhile, p50`, median(seen.gets), 20, 'ms'),
          below(`${what}: slowest POST meanwhile`, Math.max(...seen.writes), 300, 'ms'),
          below(`${what}: most resident`, seen.most, 150, 'MiB'),
        )
      }
    }
  } finally {
    await cluster.remove()
  }
  return rows
}

function below(what: string, value: number, bound: number, unit: string): Row {
  const shown = `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`
  return { what, value: shown, bound: `< ${bound} ${unit}`, holds: value < bound }
}

/** Reads and writes as anybody would, while a stranger is at it. A request that fails took forever. */
async function beside(stranger: string[], env: Record<string, string>, seconds: number) {
  const placard = await startPlacard({ TRUST_PROXY: '1', ...env })
  const gets: number[] = []
  const writes: number[] = []
  let other: ChildProcess | undefined
  try {
    // What is loaded with the first request of its kind is not the stranger's doing.
    await Promise.all([get(placard.url), post(placard.url)])
    // From here on the system notes anew what was resident at most.
    writeFileSync(`/proc/${placard.pid}/clear_refs`, '5')
    const program = join(import.meta.dirname, 'stranger.ts')
    const [name, args] = onCore(1, ['node', program, placard.url, ...stranger])
    other = spawn(name, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    if (other.stdout) await once(other.stdout, 'data')
    const end = performance.now() + seconds * 1000
    const again = async (
      times: number[],
      ask: (url: string) => Promise<boolean>,
      pause: number,
    ) => {
      while (performance.now() < end) {
        const asked = performance.now()
        const answered = await ask(placard.url).catch(() => false)
        times.push(answered ? performance.now() - asked : Number.POSITIVE_INFINITY)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
    await Promise.all([again(gets, get, 5), again(writes, post, 100)])
    const status = readFileSync(`/proc/${placard.pid}/status`, 'utf8')
    return { gets, writes, most: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024 }
  } finally {
    other?.kill('SIGKILL')
    await placard.stop()
  }
}

async function get(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/events`)
  await response.arrayBuffer()
  return response.status === 200
}

let count = 0

async function post(url: string): Promise<boolean> {
  count++
  const response = await fetch(`${url}/api/events`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${SECRET}`,
      'Content-Type': 'application/json',
      'X-Forwarded-For': `10.2.${(count >> 8) & 255}.${count & 255}`,
    },
    body: JSON.stringify({ text: 'Beside a stranger', type: 'post', slug: '/' }),
  })
  await response.arrayBuffer()
  return response.status === 201
}
