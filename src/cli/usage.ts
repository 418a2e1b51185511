import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** The command line can't be understood. */
export class UsageError extends Error {}

/** Every command takes these. */
const COMMON = { json: { type: 'boolean' }, url: { type: 'string' } } as const

/**
 * Reads a command's words by its options.
 *
 * @param allowPositionals whether it takes words that are no option's
 * @throws UsageError
 */
export function readArgs<const T extends ParseArgsOptionsConfig>(
  args: string[],
  options: T,
  allowPositionals = false,
) {
  try {
    return parseArgs({ args, options: { ...COMMON, ...options }, allowPositionals })
  } catch (error) {
    // The first sentence says what; the others are about words that no command of ours takes.
    throw new UsageError((error as Error).message.split('. ')[0]?.replace(/\.$/, ''))
  }
}

export function number(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const parsed = Number(value)
  if (value.trim() === '' || !Number.isFinite(parsed)) {
    throw new UsageError(`--${name} takes a number, not "${value}"`)
  }
  return parsed
}
