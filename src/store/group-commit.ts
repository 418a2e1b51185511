/** Limits the writes in one transaction, because the first write waits for the last. */
const MAX_WRITES = 64

interface QueuedWrite<Transaction> {
  work(transaction: Transaction): Promise<unknown>
  resolve(result: never): void
  reject(error: unknown): void
}

/**
 * Lets writes that arrive together share one commit, because a write spends most of its time waiting for the disk. The
 * writes run in order of arrival, and none resolves before the commit. If one write or the commit fails, all writes in
 * the group fail. A write that arrives alone waits for one turn of the event loop.
 *
 * @param transact runs work in a transaction, and resolves when its commit is on the disk
 */
export function groupCommit<Transaction>(
  transact: (work: (transaction: Transaction) => Promise<void>) => Promise<void>,
): <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T> {
  const waiting: QueuedWrite<Transaction>[] = []
  let busy = false

  async function commit(group: QueuedWrite<Transaction>[]): Promise<void> {
    const results: unknown[] = []
    try {
      await transact(async (transaction) => {
        // `transact` may run this function again, so the results of an earlier attempt are dropped.
        results.length = 0
        for (const { work } of group) results.push(await work(transaction))
      })
      for (const [i, { resolve }] of group.entries()) resolve(results[i] as never)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async function commitAll(): Promise<void> {
    busy = true
    while (waiting.length > 0) {
      // Requests that have already arrived are read in this turn of the event loop, so their writes can join the group.
      await new Promise((resolve) => setImmediate(resolve))
      await commit(waiting.splice(0, MAX_WRITES))
    }
    busy = false
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject })
      if (!busy) commitAll()
    })
}
