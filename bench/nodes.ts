import { startCluster } from '../test/postgres/cluster.ts'
import { clientAddress, liveText, publish, startPlacard } from './processes.ts'
import { atMost, percentile, type Row } from './report.ts'

/** Measures the time from the response to a write on one node until another node serves the change (contract R3). */
export async function benchNodes(
  changes: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const cluster = await startCluster()
  const env = { DATABASE_URL: cluster.url(), TRUST_PROXY: '1' }
  const writer = await startPlacard(env)
  const reader = await startPlacard(env)
  try {
    const delays: number[] = []
    for (let change = 0; change < changes; change++) {
      if (change % 100 === 0) progress(`nodes: ${change} of ${changes} changes`)
      const text = `Change ${change}`
      // The rate limit admits ten writes per address.
      await publish(writer.url, text, clientAddress(Math.floor(change / 10)))
      const answered = performance.now()
      while ((await liveText(reader.url)) !== text);
      delays.push(performance.now() - answered)
    }
    const what = 'write answered → another node on Postgres serves the change, p99'
    return [atMost(100, what, percentile(delays, 0.99), 'ms', 1)]
  } finally {
    await reader.stop()
    await writer.stop()
    await cluster.remove()
  }
}
