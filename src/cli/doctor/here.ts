import { accessSync, constants, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Config, ConfigError, type SecretSetting } from '../../server/config.ts'
import { existingSecret } from '../../server/secret-file.ts'
import { type Finding, fail, pass, skip, warn } from './finding.ts'

const OLDEST_NODE = 24

/** @param version the service's, or that of this command where the service doesn't say */
export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return pass('node', `Node ${version}`)
  const mend = `Install Node ${OLDEST_NODE} or newer, and start the service with it`
  return fail('node', `Node ${version} is older than ${OLDEST_NODE}`, mend)
}

export function checkSettings(config: Config | ConfigError): Finding[] {
  if (!(config instanceof ConfigError)) return [pass('settings', 'The settings are valid')]
  const mend = 'Correct it in the environment or in .env; `placard help serve` lists the settings'
  return config.faults.map((fault) => fail('settings', fault, mend))
}

/**
 * Settings that were changed since the service has started. Whoever has none here may have left them to its unit.
 *
 * @param running what the service says; `undefined` if it doesn't
 */
export function checkPublicUrl(
  here: string | null | undefined,
  running: string | null | undefined,
): Finding[] {
  if (!here || running === undefined || here === running) return []
  const other = running === null ? 'without one' : `with ${running}`
  const message = `PUBLIC_URL is ${here} here, and the service runs ${other}`
  return [warn('settings', message, 'Restart the service, or correct PUBLIC_URL here')]
}

/** The files in which the service keeps secrets that nobody has set, and its database. */
export function checkSecretFiles({
  apiSecret,
  stripeWebhookSecret,
  database,
}: Pick<Config, 'apiSecret' | 'stripeWebhookSecret' | 'database'>): Finding[] {
  const files = [apiSecret, stripeWebhookSecret].flatMap((it) => (it && 'file' in it ? [it] : []))
  const data = database.kind === 'sqlite' ? [database.path] : []
  const names = [...files.map(({ file }) => file), ...data].map((file) => basename(file))
  if (names.length === 0) return [pass('secret-files', 'No secret is kept in a file')]
  const found = [
    ...files.flatMap((setting) => checkSecret(setting) ?? []),
    ...data.flatMap((file) => [
      ...checkMode(file, OTHERS, '600'),
      ...checkMode(dirname(file), OTHERS_WRITE, '700'),
    ]),
  ]
  if (found.length > 0) return found
  return [pass('secret-files', `Only their owner can read ${names.join(', ')}`)]
}

/** What others than the owner may do, in a file's mode. Who may write to a folder can replace what is in it. */
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

function checkMode(path: string, refused: number, wanted: string): Finding[] {
  let mode = 0
  try {
    mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  } catch {}
  // Windows has no such modes, and reports 666 for every file.
  if ((mode & refused) === 0 || process.platform === 'win32') return []
  const message = `Other users have access to ${path}`
  return [warn('secret-files', message, `chmod ${wanted} '${path}'`)]
}

function checkSecret(setting: Extract<SecretSetting, { file: string }>): Finding | undefined {
  const { file } = setting
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) return skip('secret-files', `There is no ${file} yet: the first start makes it`)
    accessSync(file, constants.R_OK)
    existingSecret(setting)
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      const mend = 'Run this as the user that the service runs as'
      return warn('secret-files', `This user can not read ${file}`, mend)
    }
    const [message = '', ...mend] = (error.faults[0] ?? '').split('. ')
    return fail('secret-files', message, mend.join('. '))
  }
  return checkMode(file, OTHERS, '600')[0]
}
