import type { DatabaseSync } from 'node:sqlite'

/**
 * Opens a database with Node's own driver. SQLite itself never waits for locks, because that would block the event
 * loop.
 *
 * The driver is looked up here. An import would keep the whole app from loading on a Node without it.
 *
 * @throws if this Node has no such driver, or the database can't be opened
 */
export function connect(path: string | URL): DatabaseSync {
  // Before 20.16, Node lacks the function too.
  const driver = process.getBuiltinModule?.('node:sqlite')
  if (driver) return new driver.DatabaseSync(path, { timeout: 0 })
  throw new Error(`Node ${process.versions.node} has no node:sqlite. Use Node 24 or newer`)
}
