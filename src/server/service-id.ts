import { dirname, join } from 'node:path'
import { ConfigError } from './config.ts'
import { makeKept, readKept } from './whole-file.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The id of a service. It tells apart services on one machine, so that a command sends a secret only to the one that it
 * belongs to. The first start makes it.
 *
 * @param beside a file that the service keeps: its database
 * @throws ConfigError if what is in the file of the id is none
 */
export function serviceId(beside: string): string {
  return existingServiceId(beside) ?? makeKept(fileBeside(beside), crypto.randomUUID())
}

/**
 * The id, if there is one: a service that has not started since ids came has none. Commands use this.
 *
 * @param beside a file that the service keeps: its database, or a secret
 * @throws ConfigError if what is in the file of the id is none
 */
export function existingServiceId(beside: string): string | undefined {
  const file = fileBeside(beside)
  const id = readKept(file)
  if (id === undefined || UUID.test(id)) return id
  const fault = `There is no service's id in ${file}. Delete the file, and the next start makes one`
  throw new ConfigError([fault])
}

const fileBeside = (path: string) => join(dirname(path), 'service-id')
