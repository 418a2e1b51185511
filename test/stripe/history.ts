import type { WireHistoryEntry } from '../../src/core/history.ts'
import { type Mount, readOwned } from '../harness.ts'

/** What happened, newest first. */
export async function historyOf(mount: Mount): Promise<WireHistoryEntry[]> {
  return (await (await readOwned(mount, '/api/events/history')).json()).entries
}
