import type { WireHistoryEntry } from '../../src/core/history.ts'
import type { Mount } from '../harness.ts'

/** What happened, newest first. */
export async function historyOf(mount: Mount): Promise<WireHistoryEntry[]> {
  const headers = { Authorization: `Bearer ${mount.apiSecret}` }
  const response = await mount.fetch('/api/events/history', { headers })
  return (await response.json()).entries
}
