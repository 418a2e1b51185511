import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Log, silent } from '../core/log.ts'
import { secretsProblem } from '../core/secrets.ts'
import { ConfigError, type SecretSetting } from './config.ts'
import { makeKept, readKept } from './whole-file.ts'

/**
 * The secret's value. If it is kept in a file, the first call generates it, and only the file's owner can read it. Two
 * processes that start at the same time get the same secret.
 *
 * If other users have access to the file, this logs a warning and uses the secret. Rejecting it would turn a weakness
 * into an outage, for example after a restore, or where a container's secrets are mounted for all to read.
 *
 * @throws ConfigError if the content of the file can't be a secret
 */
export function secretValue(setting: SecretSetting, prefix = '', log: Log = silent): string {
  if ('value' in setting) return setting.value
  const { file } = setting
  const value = existingSecret(setting) ?? makeKept(file, prefix + random())
  const mode = statSync(file).mode & 0o777
  // Windows has no such modes, and reports 666 for every file.
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    log.warn(
      { mode: mode.toString(8) },
      `other users have access to this secret: chmod 600 '${file}'`,
    )
  }
  return value
}

/**
 * The secret's value if there is one, for commands, which never create a secret.
 *
 * @throws ConfigError if the content of the file can't be a secret
 */
export function existingSecret(setting: SecretSetting): string | undefined {
  if ('value' in setting) return setting.value
  const { file } = setting
  const value = readKept(file)
  if (value === undefined) return undefined
  const problem = secretsProblem(value)
  if (problem === undefined) return value
  const fault = `The secret in ${file} ${problem}`
  throw new ConfigError([
    `${fault}. Put a valid one there, or delete the file: the next start generates one`,
  ])
}

function random(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('hex')
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The id of a service, which tells services on a machine apart, so that a command sends a secret only to the service
 * that it belongs to. The first start creates it.
 *
 * @param beside a file that the service keeps: its database
 * @throws ConfigError if the content of the id's file is invalid
 */
export function serviceId(beside: string): string {
  return existingServiceId(beside) ?? makeKept(fileBeside(beside), crypto.randomUUID())
}

/**
 * The id, for commands; `undefined` if no service has created one there yet.
 *
 * @param beside a file that the service keeps: its database, or a secret
 * @throws ConfigError if the content of the id's file is invalid
 */
export function existingServiceId(beside: string): string | undefined {
  const file = fileBeside(beside)
  const id = readKept(file)
  if (id === undefined || UUID.test(id)) return id
  const fault = `${file} contains no valid service id. Delete it: the next start generates one`
  throw new ConfigError([fault])
}

const fileBeside = (path: string) => join(dirname(path), 'service-id')
