import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const CLAUSES = [
  ...Array.from({ length: 13 }, (_, index) => `A${index + 1}`),
  ...['R1', 'R2', 'R3', 'R4', 'R5', 'R6'],
  ...Array.from({ length: 7 }, (_, index) => `W${index + 1}`),
  'Settings',
]

/** The titles of all tests and suites of tests, as they are written. */
function titles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx)$/.test(name))
    .flatMap((name) => {
      const source = readFileSync(join(directory, name), 'utf8')
      const title = /(?:\b(?:it|test|describe)|\]\))\s*\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g
      return [...source.matchAll(title)].map((match) => match[2] ?? '')
    })
}

/** The clauses that a title quotes: `contract A1, A2: …`, also `contract A5 to A11: …`. */
function quoted(title: string): string[] {
  const [head = ''] = /contract [^:]*/.exec(title) ?? []
  const range = /([ARW])(\d+) to [ARW](\d+)/.exec(head)
  const between = range
    ? Array.from({ length: Number(range[3]) - Number(range[2]) + 1 }, (_, index) => {
        return `${range[1]}${Number(range[2]) + index}`
      })
    : []
  return [...between, ...(head.match(/\b(?:[ARW]\d+|Settings)\b/g) ?? [])]
}

it.each(CLAUSES)('contract.md, clause %s: at least one test quotes it', (clause) => {
  const quoting = titles(import.meta.dirname).filter((title) => quoted(title).includes(clause))
  expect(quoting.length).toBeGreaterThan(0)
})
