import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Log, silent } from '../core/log.ts'
import { secretsProblem } from '../core/secrets.ts'
import { createOnce } from './atomic-file.ts'
import { ConfigError, readSmallFile, type SecretSetting } from './config.ts'

const READ_SECRET =
  "Run the command as the service's user, or set EVENT_API_SECRET (for simulate, STRIPE_WEBHOOK_SECRET) to its secret"

/**
 * Returns a secret's value. If the secret is kept in a file, the first call generates it, readable only by the file's
 * owner. Two processes that start at the same time get the same secret.
 *
 * If other users have access to the file, this logs a warning but uses the secret. Rejecting the file would turn a
 * weakness into an outage, for example after a restore, or where a container's secrets are mounted world-readable.
 *
 * @throws ConfigError if the file can't be read, or its content isn't a valid secret
 */
export async function secretValue(setting: SecretSetting, prefix = '', log: Log = silent) {
  if ('value' in setting) return setting.value
  const { file } = setting
  const random = () => crypto.getRandomValues(Buffer.alloc(24)).toString('hex')
  const value = existingSecret(setting) ?? (await createOnce(file, prefix + random()))
  const mode = statSync(file).mode & 0o777
  // Windows has no Unix file modes, and Node reports 666 for every file there.
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    log.warn(
      { mode: mode.toString(8) },
      `other users have access to this secret: chmod 600 '${file}'`,
    )
  }
  return value
}

/**
 * Returns a secret's value, or `undefined` if there is none. This is for commands, which never create a secret.
 *
 * @throws ConfigError if the file can't be read, or its content isn't a valid secret
 */
export function existingSecret(setting: SecretSetting): string | undefined {
  if ('value' in setting) return setting.value
  const { file } = setting
  const value = readSmallFile(file, READ_SECRET)
  if (value === undefined) return undefined
  const problem = secretsProblem(value)
  if (problem === undefined) return value
  const fault = `The secret in ${file} ${problem}`
  throw new ConfigError([
    `${fault}. Put a valid secret there, or delete the file: the next start generates a new one`,
  ])
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Returns the id that tells a service apart from others on the machine, so that a command sends a secret only to the
 * right service. The first start of the service creates the id.
 *
 * @param beside the path of the database; the id file is in the same folder
 * @throws ConfigError if the id file can't be read, or its content is invalid
 */
export async function serviceId(beside: string): Promise<string> {
  return existingServiceId(beside) ?? createOnce(fileBeside(beside), crypto.randomUUID())
}

/**
 * Returns the id of a service, or `undefined` if the service hasn't created its id yet. This is for commands.
 *
 * @param beside the path of the database or of a secret file; the id file is in the same folder
 * @throws ConfigError if the id file can't be read, or its content is invalid
 */
export function existingServiceId(beside: string): string | undefined {
  const file = fileBeside(beside)
  const id = readSmallFile(file, READ_SECRET)
  if (id === undefined || UUID.test(id)) return id
  const fault = `${file} contains no valid service id. Delete the file: the next start generates an id`
  throw new ConfigError([fault])
}

const fileBeside = (path: string) => join(dirname(path), 'service-id')
