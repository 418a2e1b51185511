import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SecretSetting } from './config.ts'

/**
 * The secret's value. One that is kept in a file is made the first time, readable by its owner only; two
 * processes that start at once end up with the same one.
 */
export function secretValue(setting: SecretSetting, prefix = ''): string {
  if ('value' in setting) return setting.value
  const { file } = setting
  mkdirSync(dirname(file), { recursive: true })
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('hex')
  try {
    writeFileSync(file, `${prefix}${random}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8').trim()
}

/** The secret's value if there is one already; for the commands, which find but never make it. */
export function existingSecret(setting: SecretSetting): string | undefined {
  if ('value' in setting) return setting.value
  try {
    return readFileSync(setting.file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
