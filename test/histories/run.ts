import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { DirectMount } from '../harness.ts'
import { client, look, type Node, type Notebook, openCrowd, type Page, visitors } from './client.ts'
import type { Noted } from './history.ts'
import type { Plan } from './plan.ts'
import { randomFrom } from './random.ts'
import { postgresStage, type Stage, sqliteStage } from './stage.ts'
import { trouble } from './trouble.ts'

const CLIENTS = 8
/** Notifying so many pages takes several turns of the event loop, and other work runs in between. */
const CROWD = 1_500
/** How many actions each client takes if there is a single node. */
const DEEDS = 20
/** How long two nodes with faults are watched. The last part is without faults. */
const WATCHED_MS = 2_400
const CALM_MS = 300
/** Contract R3: other nodes show a write within 1 s. With these timeouts, that holds even on a dead connection. */
const LAG_MS = 1_000
const WAITS = { heartbeatMs: 400, heartbeatTimeoutMs: 250 }
/** How long nodes and pages may take to agree once the faults are over. */
const SETTLE_MS = 5_000

export interface Outcome {
  /** What the contract does not allow, in words. */
  fault: string | undefined
  history: readonly Noted[]
}

/**
 * Lets 8 clients act by a plan, and checks what they saw against the contract.
 *
 * @param server the address of a Postgres on which databases can be created
 */
export async function runHistory(plan: Plan, server: string): Promise<Outcome> {
  const stage = await stageOf(plan, server)
  const history: Noted[] = []
  try {
    await Promise.all(stage.nodes.map(({ mount }) => ready(mount)))
    return { fault: await play(plan, stage, history), history }
  } catch (error) {
    return { fault: String(error), history }
  } finally {
    await stage.close()
  }
}

async function stageOf({ kind, timeoutMs }: Plan, server: string): Promise<Stage> {
  if (kind === 'SQLite') return sqliteStage()
  if (kind === 'Postgres') return postgresStage(server, ['A'], {})
  return postgresStage(server, ['A', 'B'], { ...WAITS, timeoutMs })
}

async function play(plan: Plan, stage: Stage, history: Noted[]): Promise<string | undefined> {
  const { nodes, proxies } = stage
  const several = nodes.length > 1
  const random = randomFrom(plan.seed)
  const another = () => randomFrom(random() * 2 ** 32)
  const started = performance.now()
  const now = () => performance.now() - started
  const notebook: Notebook = { now, note: (step) => history.push(step) }
  // While the process was paused, nobody could be notified, so the permitted lag grows by that time.
  const stalls = monitorEventLoopDelay({ resolution: 10 })
  stalls.enable()

  const crowd = plan.crowded ? nodes.flatMap((node) => openCrowd(node, CROWD)) : []
  const goesOn = (done: number) => (several ? now() < WATCHED_MS : done < DEEDS)
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    const node = nodes[index % nodes.length] as Node
    return client(`c${index}`, node, notebook, another(), { pauseMs: plan.pauseMs, goesOn })
  })
  const acting = all(clients)
  const visits = nodes.map((node) => visitors(node, notebook, acting))
  const troubles = (several ? proxies.slice(plan.bothTroubled ? 0 : 1) : []).map((proxy) =>
    trouble(proxy, plan, another(), () => now() < WATCHED_MS - CALM_MS),
  )
  await all([...visits, ...troubles])
  const pages = [...crowd, ...(await acting).flat()]
  const unsettled = await settle(stage, pages, notebook)
  for (const page of pages) page.close()
  stalls.disable()
  return unsettled ?? judged(history, LAG_MS + stalls.max / 1e6)
}

/** Judges a history in a worker. Here, the search would keep other histories from going on, and make them slow. */
async function judged(history: readonly Noted[], lagMs: number): Promise<string | undefined> {
  const worker = new Worker(new URL('./judge.ts', import.meta.url), {
    workerData: { history, lagMs },
  })
  const [fault] = await once(worker, 'message')
  return fault
}

/** Waits for all of them, even if one fails, because nothing may still run once the stage is closed. */
async function all<T>(work: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/** Waits until a node has read its database: before that it returns errors, and its timeouts are short here. */
async function ready(mount: DirectMount): Promise<void> {
  while (!(await mount.fetch('/api/events')).ok) await sleep(5)
}

/** Waits until nodes and pages show what is stored. Resolves with a description of the first that doesn't. */
async function settle(
  { nodes, truth }: Stage,
  pages: readonly Page[],
  notebook: Notebook,
): Promise<string | undefined> {
  const deadline = notebook.now() + SETTLE_MS
  for (;;) {
    const from = notebook.now()
    const stored = (await truth.load()).published
    notebook.note({ kind: 'list', node: 'the database', from, to: notebook.now(), saw: stored })
    const looks = await Promise.all(nodes.map((node) => look(node, notebook)))
    const shown = [
      ...looks.map(({ node, saw, stale }) => ({ who: node, saw, stale })),
      ...pages.map(({ node, latest }) => ({
        who: `a page of ${node}`,
        saw: latest(),
        stale: false,
      })),
    ]
    const top = stored[0]?.id ?? null
    const behind = shown.find(
      ({ saw, stale }) => stale || saw === undefined || (saw?.id ?? null) !== top,
    )
    if (!behind) return undefined
    if (notebook.now() > deadline) {
      return `${SETTLE_MS} ms after all was well: ${JSON.stringify({ behind, stored })}`
    }
    await sleep(20)
  }
}
