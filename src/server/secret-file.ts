import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Log, silent } from '../log.ts'
import { parseSecrets } from '../secrets.ts'
import { ConfigError, type SecretSetting } from './config.ts'
import { unusable } from './unusable.ts'

/**
 * The secret's value. If it is kept in a file, the first call makes that, readable by its owner only. Two processes that
 * start at once end up with the same secret.
 *
 * If other users can read the file, the log says so and the secret is used. A refusal would turn a weakness into an
 * outage: after a restore from a backup, say, or where a container's secrets are mounted for all to read.
 *
 * @throws ConfigError if what is in the file can't be a secret
 */
export function secretValue(setting: SecretSetting, prefix = '', log: Log = silent): string {
  if ('value' in setting) return setting.value
  const { file } = setting
  const value = existingSecret(setting) ?? make(file, prefix)
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
 * The secret's value if there is one. Commands use this, because they never make a secret.
 *
 * @throws ConfigError if what is in the file can't be a secret
 */
export function existingSecret(setting: SecretSetting): string | undefined {
  if ('value' in setting) return setting.value
  const { file } = setting
  let value: string
  try {
    value = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const { secrets, problem } = parseSecrets(value)
  if (secrets.length > 0 && problem === undefined) return value
  const fault = problem ? `The secret in ${file} ${problem}` : `There is no secret in ${file}`
  throw new ConfigError([
    `${fault}. Write one there; or delete the file, and the next start makes one`,
  ])
}

function make(file: string, prefix: string): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('hex')
  const whole = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(whole, `${prefix}${random}\n`, { mode: 0o600 })
    // The file gets its name once it is written, so nobody reads half a secret.
    linkSync(whole, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(file, error)
  } finally {
    rmSync(whole, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}
