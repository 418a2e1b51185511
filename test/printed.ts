import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '..')
/** The text of a file of the project. */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const FENCE = /^( *)```(\S*)(?: +(.*))?\n([\s\S]*?)^\1```$/gm

/** A fenced block of a document. */
export interface Block {
  page: string
  line: number
  /** The first word behind the fence. */
  language: string
  /** The rest of that line, which isn't rendered: `not-run: …`, or `types-only`. */
  mark: string
  text: string
  /** Where it begins in the document. */
  at: number
  /** The heading above it. */
  heading: string
}

/** Every fenced block of a document, in order. */
export function blocksOf(page: string): Block[] {
  const text = read(page)
  return [...text.matchAll(FENCE)].map((found) => {
    const [, indent = '', language = '', mark = '', inside = ''] = found
    const line = text.slice(0, found.index).split('\n').length
    const plain = inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const headings = text
      .slice(0, found.index)
      .replaceAll(FENCE, '')
      .match(/(?<=^#+ ).*$/gm)
    const heading = headings?.at(-1) ?? ''
    return { page, line, language, mark, text: plain, at: found.index, heading }
  })
}

/**
 * The first block of a document after these words, for a test that runs it. `test/printed.test.ts` looks for these calls in
 * the sources, so the arguments of a call must be literals.
 */
export const blockAfter = (page: string, words: string): string => findBlock(page, words).text

export function findBlock(page: string, words: string): Block {
  const from = read(page).indexOf(words)
  const block = blocksOf(page).find(({ at }) => from >= 0 && at > from)
  if (!block) throw new Error(`${page} has no block after ${words}`)
  return block
}

/** All unmarked blocks of a document in a language, for a test that runs them. The arguments must be literals, too. */
export function blocksIn(page: string, language: string): Block[] {
  return blocksOf(page).filter((block) => block.language === language && block.mark === '')
}

/** Commands in running text that no test runs, and why. */
export const NOT_RUN: Record<string, string> = {
  'caddy reload': 'the tests of the proxies run it with an address of their own',
  'docker buildx imagetools inspect node:26-slim': 'needs a registry of images',
  'kill -9': 'names what the soak does',
  'next build': 'names what Next.js does',
  'next dev': 'names what Next.js does',
  'next start': 'names what Next.js does',
  'next start --hostname': 'names what Next.js does',
  'nginx -s reload': 'the tests of the proxies send the signal that it sends',
  'npm deprecate placard@X.Y.Z "Use X.Y.Z+1: …"': 'needs the account of the package',
  'npm pack': 'the tests of the examples run it with options of their own',
  'npm unpublish': 'needs the account of the package',
  'npm version X.Y.Z --no-git-tag-version': 'a form: X.Y.Z stands for a version',
  'npm view placard@X.Y.Z dist.attestations': 'needs a released package',
  'placard backup FILE': 'a form: FILE stands for a file',
  'placard open --path /ops/bar --url https://example.com': 'needs an app that mounts the admin',
  'placard restore FILE': 'a form: FILE stands for a file',
  'podman build': 'names what builds an image',
  'systemctl reload haproxy': 'the tests of the proxies send the signal that it sends',
  'systemctl stop': 'names what ends a service',
  'ulimit -n': 'names a limit',
}

const PROGRAMS =
  /^(caddy|chmod|curl|docker|kill|next|nginx|npm|npx|placard|podman|systemctl|ulimit) \S/

/** The commands in the running text of a document. */
export function commandsIn(page: string): string[] {
  const text = read(page).replaceAll(FENCE, '')
  const inline = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\n', ' '))
  return inline.filter((code) => PROGRAMS.test(code))
}
