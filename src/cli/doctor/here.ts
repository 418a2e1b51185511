import { accessSync, constants, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Config, ConfigError, type SecretSetting } from '../../server/config.ts'
import { existingSecret } from '../../server/secret-file.ts'
import { by, type Finding } from './finding.ts'

const OLDEST_NODE = 24

/** @param version the service's, or this command's if the service doesn't say */
export function checkNode(version: string): Finding {
  const { pass, fail } = by('node')
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return pass(`Node ${version}`)
  const mend = `Install Node ${OLDEST_NODE} or newer, and start the service with it`
  return fail(`Node ${version} is older than ${OLDEST_NODE}`, mend)
}

export function checkSettings(config: Config | ConfigError): Finding[] {
  const { pass, fail } = by('settings')
  if (!(config instanceof ConfigError)) return [pass('The settings are valid')]
  const mend = 'Correct it in the environment or in .env; `placard help serve` lists the settings'
  return config.faults.map((fault) => fail(fault, mend))
}

const { pass, skip, warn, fail } = by('secret-files')

/** The permissions of others in a file's mode. Whoever may write to a folder can replace the files in it. */
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

type Kept = Extract<SecretSetting, { file: string }>

/** Checks the files in which the service keeps secrets that it made, and its database. */
export function checkSecretFiles(
  config: Pick<Config, 'apiSecret' | 'stripeWebhookSecret' | 'database'>,
): Finding[] {
  const { apiSecret, stripeWebhookSecret, database } = config
  const kept = [apiSecret, stripeWebhookSecret].filter((it): it is Kept => !!it && 'file' in it)
  const data = database.kind === 'sqlite' ? [database.path] : []
  const found = [
    ...kept.flatMap(checkSecret),
    ...data.flatMap((file) => checkMode(file, OTHERS, '600')),
    ...data.flatMap((file) => checkMode(dirname(file), OTHERS_WRITE, '700')),
  ]
  if (found.length > 0) return found
  const names = [...kept.map(({ file }) => file), ...data].map((file) => basename(file)).join(', ')
  return [pass(names ? `Only their owner can read ${names}` : 'No secret is kept in a file')]
}

function checkMode(path: string, refused: number, wanted: string): Finding[] {
  let mode = 0
  try {
    mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  } catch {}
  // Windows has no such modes, and reports 666 for every file.
  if ((mode & refused) === 0 || process.platform === 'win32') return []
  return [warn(`Other users have access to ${path}`, `chmod ${wanted} '${path}'`)]
}

function checkSecret(setting: Kept): Finding[] {
  const { file } = setting
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) return [skip(`There is no ${file} yet: the first start makes it`)]
    accessSync(file, constants.R_OK)
    existingSecret(setting)
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      return [warn(`This user can't read ${file}`, 'Run this as the user of the service')]
    }
    const [message = '', ...mend] = (error.faults[0] ?? '').split('. ')
    return [fail(message, mend.join('. '))]
  }
  return checkMode(file, OTHERS, '600')
}
