/** Finds what must not be published: untracked files, secrets, the address of another project. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A complete key or signing secret of Stripe. */
const SECRET = /\b(?:[sr]k_(?:live|test)|whsec)_([\w+/]{16,})/g

/** The packed paths that git doesn't track. `dist/` is left out, because it is built and so never tracked. */
export function untracked(root: string, paths: readonly string[]): string[] {
  const tracked = new Set(git(root, 'ls-files', '-z').split('\0'))
  return paths.filter((path) => !path.startsWith('dist/') && !tracked.has(path))
}

/** The files with a probable secret. A placeholder in a guide doesn't count, because it has few distinct characters. */
export function withSecrets(folder: string, paths: readonly string[]): string[] {
  return paths.filter((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(SECRET)].some(
      ([, random = '']) => new Set(random).size >= 8,
    ),
  )
}

/** The repository on GitHub that this clone came from, if it isn't the one that the manifest names. */
export function elsewhere(root: string, repository: string): string | undefined {
  if (!git(root, 'remote').split('\n').includes('origin')) return
  const origin = git(root, 'remote', 'get-url', 'origin').trim()
  const here = /github\.com[:/](.+)$/.exec(origin)?.[1]
  const plain = (name: string) => name.replace(/(\.git)?\/?$/, '').toLowerCase()
  const named = repository.replace(/^(.*github\.com[:/]|github:)/, '')
  return here && plain(here) !== plain(named) ? plain(here) : undefined
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
}
