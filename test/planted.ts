import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A defect to plant: the right text, which the file has exactly once, and the wrong text to replace it. */
export interface Defect {
  /** The file's path in the repository. */
  file: string
  right: string
  wrong: string
}

/** A defect in a list, and what must detect it: a fault that a proof names, or one of several test files. */
export interface Planted extends Defect {
  what: string
  by: string[]
}

const ROOT = join(import.meta.dirname, '..')
/** The parts of the repository that sources, tests and a build need. */
const COPIED = [
  ...['src', 'test', 'locales', 'bin', 'scripts'],
  ...['package.json', 'tsconfig.json', 'tsdown.config.ts', 'vitest.config.ts'],
  'vitest.proofs.config.ts',
  // The admin's files are built, and imported by that name.
  'dist/admin-files.json',
]

/** Copies sources and tests to a temporary directory, where they may be broken. */
export function copyOfProject(): string {
  const directory = mkdtempSync(join(tmpdir(), 'placard-planted-'))
  const filter = (source: string) => !source.includes('node_modules')
  for (const name of COPIED) {
    cpSync(join(ROOT, name), join(directory, name), { recursive: true, filter })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  return directory
}

/** In how many places of its file a defect could be planted. */
export function occurrences({ file, right }: Defect, directory = ROOT): number {
  return readFileSync(join(directory, file), 'utf8').split(right).length - 1
}

/**
 * Plants a defect in a copy.
 *
 * @returns a function that removes it again
 * @throws unless the file has the right text exactly once, so that the defect follows the code
 */
export function plant(directory: string, defect: Defect): () => void {
  const { file, right, wrong } = defect
  const times = occurrences(defect, directory)
  if (times !== 1) throw new Error(`${file} has this ${times} times, not once:\n${right}`)
  const path = join(directory, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, source.split(right).join(wrong))
  return () => writeFileSync(path, source)
}

/**
 * The defects of `planted.diff` in a folder of the tests. Under `# FILE: WHAT SHOWS THEM`, each has a line that says what goes
 * wrong, then the lines in the file and the lines that replace them, as in a diff.
 */
export function plantedIn(folder: string): Planted[] {
  const list = readFileSync(join(ROOT, 'test', folder, 'planted.diff'), 'utf8')
  const lines = (part = '') => part.replaceAll(/^[-+] ?/gm, '').slice(0, -1)
  return list.split(/^# /m).flatMap((section) => {
    const [, file = '', by = ''] = /^(.*?): (.*)\n/.exec(section) ?? []
    return [...section.matchAll(/^([^-+].*)\n((?:-.*\n)+)((?:\+.*\n)*)/gm)].map(
      ([, what = '', right, wrong]) => ({
        ...{ what, file, by: by.split(', ') },
        ...{ right: lines(right), wrong: lines(wrong) },
      }),
    )
  })
}
