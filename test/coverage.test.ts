import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT, read } from './printed.ts'

const files = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => /(^|\/)(node_modules|\.next)$/.test(path) })

/** A numbered part of a page: `- **A6. …` of the contract, `### 4.2 …` of the spec. */
interface Clause {
  page: 'contract' | 'spec'
  number: string
  text: string
}

function clausesOf(page: Clause['page']): Clause[] {
  const parts = read(`docs/${page}.md`)
    .split(/^(?:##+ |- \*\*)/m)
    .slice(1)
  return parts.flatMap((text) => {
    const number = /^(?:Settings|[A-Z]\d+|\d+(?:\.\d+)?)(?=\.? |\n)/.exec(text)?.[0]
    return number === undefined ? [] : [{ page, number, text }]
  })
}

const CLAUSES = { contract: clausesOf('contract'), spec: clausesOf('spec') }
const nameOf = ({ page, number }: Pick<Clause, 'page' | 'number'>) => `${page} ${number}`
const ALL = [...CLAUSES.contract, ...CLAUSES.spec]
const NAMES = new Set(ALL.map(nameOf))
/** A section with subsections states nothing itself. */
const LEAVES = ALL.filter(({ number }) => !ALL.some((it) => it.number.startsWith(`${number}.`)))

const NUMBER = String.raw`(?:[A-Z]\d+|Settings|\d+(?:\.\d+)*)`
const CITATION = new RegExp(
  String.raw`\b(contract|spec)(?:\.md)?,? (${NUMBER}(?:(?:, | and | or | to )${NUMBER})*)\b`,
  'gi',
)

/** The clauses that a text cites: `contract A1, A2`, `contract A5 to A11`, `spec 4.2`, also across lines. */
function citedIn(text: string): string[] {
  const flat = text.replace(/\s*\n[\s/*#>]*/g, ' ')
  return [...flat.matchAll(CITATION)].flatMap(([, word = '', list = '']) => {
    const page = word.toLowerCase() === 'spec' ? 'spec' : 'contract'
    const indexOf = (number: string) => CLAUSES[page].findIndex((it) => it.number === number)
    return list.split(/, | and | or /).flatMap((item) => {
      const [first = '', last] = item.split(' to ')
      if (last === undefined || indexOf(first) < 0) return nameOf({ page, number: item })
      const range = CLAUSES[page].slice(indexOf(first), indexOf(last) + 1)
      return range.length > 0 ? range.map(nameOf) : nameOf({ page, number: item })
    })
  })
}

/** The clauses that titles of tests quote; a title is a string before the test's function. */
const QUOTED = new Set(
  files('test/**/*.{ts,tsx}').flatMap((path) =>
    [...read(path).matchAll(/\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1,/g)].flatMap(([, , title = '']) =>
      citedIn(title),
    ),
  ),
)

it.each(LEAVES.map(nameOf))('%s is quoted by a test', (name) => {
  expect(QUOTED).toContain(name)
})

describe('citations', () => {
  it('name clauses that exist', () => {
    const texts = files('{*.md,{src,test,docs,bench,examples,scripts,bin,.github}/**/*.*}').filter(
      (path) => /\.(md|tsx?|m?js|css|html|ya?ml)$/.test(path),
    )
    const missing = texts.flatMap((path) =>
      citedIn(read(path))
        .filter((name) => !NAMES.has(name))
        .map((name) => `${path} cites ${name}`),
    )
    expect(texts.length).toBeGreaterThan(150)
    expect(missing).toEqual([])
  })

  it('name clauses of the contract if they are bare numbers in the contract or the spec', () => {
    const numbers = ['contract', 'spec'].flatMap((page) =>
      [...read(`docs/${page}.md`).matchAll(/\b[A-Z]\d+\b/g)].map(([number]) => number),
    )
    expect(numbers.filter((number) => !NAMES.has(`contract ${number}`))).toEqual([])
  })
})

it("contract Settings: .env.example has exactly the variables of the contract's table", () => {
  const settings = CLAUSES.contract.find(({ number }) => number === 'Settings')?.text ?? ''
  const named = [...settings.matchAll(/^\| `(\w+)` \|.*$/gm)].map(([, name]) => name)
  const given = [...read('.env.example').matchAll(/^# (\w+)=/gm)].map(([, name]) => name)
  expect(new Set(given)).toEqual(new Set(named))
})

it('contract Settings: compose.yaml passes every variable on to the service', () => {
  const settings = CLAUSES.contract.find(({ number }) => number === 'Settings')?.text ?? ''
  const named = [...settings.matchAll(/^\| `(\w+)` \|.*$/gm)].map(([, name]) => name)
  const compose = read('compose.yaml')
  for (const name of named) expect(compose).toContain(`\${${name}:`)
})
