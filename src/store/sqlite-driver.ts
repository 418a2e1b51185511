import type { DatabaseSync } from 'node:sqlite'

/**
 * Opens a database with Node's own driver, without any waiting for locks, as that would block the event loop.
 *
 * The driver is looked up here. If it were imported, a Node without it could not even load the app that this is part of.
 *
 * @throws if this Node has no such driver, or the database can't be opened
 */
export function connect(path: string | URL): DatabaseSync {
  // Before 20.16, the lookup is missing too.
  const driver = process.getBuiltinModule?.('node:sqlite')
  if (driver) return new driver.DatabaseSync(path, { timeout: 0 })
  throw new Error(`Node ${process.versions.node} has no node:sqlite. Use Node 24 or newer`)
}
