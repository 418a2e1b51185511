import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SecretSetting } from './config.ts'

/**
 * The secret's value. One that is kept in a file is made the first time, readable by its owner only; two
 * processes that start at once end up with the same one.
 */
export function secretValue(setting: SecretSetting, prefix = ''): string {
  if ('value' in setting) return setting.value
  const existing = existingSecret(setting)
  if (existing !== undefined) return existing
  const { file } = setting
  mkdirSync(dirname(file), { recursive: true })
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('hex')
  const whole = `${file}.${process.pid}`
  writeFileSync(whole, `${prefix}${random}\n`, { mode: 0o600 })
  try {
    // Appears under its name only when it is written: nobody reads half a secret.
    linkSync(whole, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(whole)
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
