import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'

/** The output of a command: text or, with `--json`, an object. */
export type Output = object | string

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
  const known: ParseArgsOptionsConfig & typeof COMMON & T = { ...COMMON, ...options }
  try {
    return parseArgs({ args: withDashes(args, known), options: known, allowPositionals })
  } catch (error) {
    // Node's message names the error first. The advice that follows, on positional arguments, doesn't apply here.
    const problem = (error as Error).message.split('. ')[0]?.replace(/\.$/, '') ?? ''
    const unknown = /^Unknown option '--([\w-]+)'/.exec(problem)?.[1]
    throw new UsageError(problem + (unknown ? didYouMean(unknown, Object.keys(known), '--') : ''))
  }
}

/** Matches a word such as `-25% off` or `-- Sale --`, which can't be an option. */
const TEXT = /^-([^a-z-]|[^=]*\s)/i

/** Lets texts and the values of options begin with a dash, as in `publish "-25% off"`. */
function withDashes(args: string[], known: ParseArgsOptionsConfig): string[] {
  const words: string[] = []
  const texts: string[] = []
  for (const [at, word] of args.entries()) {
    // All words after `--` are positional already.
    if (word === '--') return [...words, '--', ...texts, ...args.slice(at + 1)]
    const option = words.at(-1)?.replace(/^--/, '') ?? ''
    if (!TEXT.test(word)) words.push(word)
    else if (words.at(-1) === args[at - 1] && known[option]?.type === 'string') {
      words[words.length - 1] = `--${option}=${word}`
    } else texts.push(word)
  }
  return texts.length > 0 ? [...words, '--', ...texts] : words
}

/**
 * Refuses a path that Git Bash has rewritten: to Windows programs, it passes `/blog/x` as `C:/Program Files/Git/blog/x`.
 *
 * @throws UsageError
 */
export function assertNotRewritten(option: string, path: string | undefined): void {
  if (!/^[a-z]:[\\/]/i.test(path ?? '')) return
  const fix = 'put MSYS_NO_PATHCONV=1 in front of the command'
  throw new UsageError(`${option} arrived as "${path}". If you use Git Bash, ${fix}`)
}

/** Suggests the known word that is most similar to a mistyped one, if it is similar enough. */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const nearest = closest(word, known as string[])
  return distance(word, nearest) <= Math.max(2, word.length / 3)
    ? `. Did you mean ${prefix}${nearest}?`
    : ''
}
