import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'

/** Writes a text to standard output, with a line break behind it. */
export type Print = (text: string) => void

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
  const known = { ...COMMON, ...options }
  try {
    return parseArgs({ args, options: known, allowPositionals })
  } catch (error) {
    // The first sentence says what; the others are about words that no command of ours takes.
    const said = (error as Error).message.split('. ')[0]?.replace(/\.$/, '') ?? ''
    const unknown = /^Unknown option '--([\w-]+)'/.exec(said)?.[1]
    throw new UsageError(said + (unknown ? didYouMean(unknown, Object.keys(known), '--') : ''))
  }
}

/** A question that names what is nearest, where something is near. */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const nearest = closest(word, known as string[])
  return distance(word, nearest) <= Math.max(2, word.length / 3)
    ? `. Did you mean ${prefix}${nearest}?`
    : ''
}

export function number(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const parsed = Number(value)
  if (value.trim() === '' || !Number.isFinite(parsed)) {
    throw new UsageError(`--${name} takes a number, not "${value}"`)
  }
  return parsed
}
