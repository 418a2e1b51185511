import { accessSync, constants, statSync } from 'node:fs'
import { basename } from 'node:path'
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

/** The files in which the service keeps secrets that nobody has set. */
export function checkSecretFiles({
  apiSecret,
  stripeWebhookSecret,
}: Pick<Config, 'apiSecret' | 'stripeWebhookSecret'>): Finding[] {
  const files = [apiSecret, stripeWebhookSecret].flatMap((it) => (it && 'file' in it ? [it] : []))
  if (files.length === 0) return [pass('secret-files', 'No secret is kept in a file')]
  const found = files.flatMap((setting) => checkSecret(setting) ?? [])
  const names = files.map(({ file }) => basename(file)).join(', ')
  return found.length > 0 ? found : [pass('secret-files', `Only their owner can read ${names}`)]
}

function checkSecret(setting: Extract<SecretSetting, { file: string }>): Finding | undefined {
  const { file } = setting
  let mode: number
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) return skip('secret-files', `There is no ${file} yet: the first start makes it`)
    mode = stats.mode
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
  // Windows has no such modes, and reports 666 for every file.
  if ((mode & 0o077) === 0 || process.platform === 'win32') return undefined
  return warn('secret-files', `Other users have access to ${file}`, `chmod 600 '${file}'`)
}
