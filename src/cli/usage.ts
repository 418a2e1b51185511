import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'

/** The output of a command: text or, with `--json`, an object. */
export type Answer = object | string

/** The command line is invalid. */
export class UsageError extends Error {}

const COMMON = { json: { type: 'boolean' }, url: { type: 'string' } } as const

/**
 * Reads the arguments of a command.
 *
 * @param allowPositionals whether the command takes positional arguments
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
    // Node's message names the error first. The advice that follows, on positional arguments, doesn't apply here.
    const problem = (error as Error).message.split('. ')[0]?.replace(/\.$/, '') ?? ''
    const unknown = /^Unknown option '--([\w-]+)'/.exec(problem)?.[1]
    throw new UsageError(problem + (unknown ? didYouMean(unknown, Object.keys(known), '--') : ''))
  }
}

/** Suggests the known word that is most similar to a mistyped one, if it is similar enough. */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const nearest = closest(word, known as string[])
  return distance(word, nearest) <= Math.max(2, word.length / 3)
    ? `. Did you mean ${prefix}${nearest}?`
    : ''
}
