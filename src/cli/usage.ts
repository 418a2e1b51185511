import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'
import type * as z from 'zod'

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
    // Node's message names the error first. The advice on positional arguments after that doesn't apply here.
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

/** For each option that takes only some values: the test, and its description for people. */
export type Rules = Readonly<Record<string, [z.ZodType, takes: string]>>

/** @throws UsageError that names the first option with a value that it doesn't take */
export function check(values: Readonly<Record<string, unknown>>, rules: Rules): void {
  for (const [option, [rule, takes]] of Object.entries(rules)) {
    const value = values[option]
    if (value === undefined || rule.safeParse(value).success) continue
    throw new UsageError(`--${option} takes ${takes}, not "${value}"`)
  }
}
