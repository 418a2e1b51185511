import { dirname, join } from 'node:path'
import { ConfigError } from './config.ts'
import { makeKept, readKept } from './whole-file.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The id of a service, which tells services on a machine apart, so that a command sends a secret only to its own. The
 * first start creates it.
 *
 * @param beside a file that the service keeps: its database
 * @throws ConfigError if the content of the id's file is invalid
 */
export function serviceId(beside: string): string {
  return existingServiceId(beside) ?? makeKept(fileBeside(beside), crypto.randomUUID())
}

/**
 * The id, if there is one, for commands. A service that never started with an id has none.
 *
 * @param beside a file that the service keeps: its database, or a secret
 * @throws ConfigError if the content of the id's file is invalid
 */
export function existingServiceId(beside: string): string | undefined {
  const file = fileBeside(beside)
  const id = readKept(file)
  if (id === undefined || UUID.test(id)) return id
  const fault = `There is no service's id in ${file}. Delete the file, and the next start makes one`
  throw new ConfigError([fault])
}

const fileBeside = (path: string) => join(dirname(path), 'service-id')
