import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { helpFor } from '../src/cli/help.ts'
import { type CommandName, OPTIONS } from '../src/cli/options.ts'
import { PROGRAM } from '../src/core/shell-command.ts'
import {
  type Block,
  blocksIn,
  blocksOf,
  commandsIn,
  findBlock,
  NOT_RUN,
  ROOT,
  read,
} from './printed.ts'

const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
}).toSorted()
const BLOCKS = PAGES.flatMap(blocksOf)
const nameOf = ({ page, line }: Block) => `${page}:${line}`

/** The blocks that tests read, by the calls in their sources. A call whose arguments aren't literals doesn't count. */
function blocksThatRun(): Block[] {
  const sources = globSync('test/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    (file) => !/^test\/printed/.test(file),
  )
  return sources.flatMap((file) => {
    const text = read(file)
    if (!/\bblock(After|sIn)\(/.test(text)) return []
    const found: Block[] = []
    const visit = (node: ts.Node) => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
        const called = node.expression.text
        const [page = '', words = ''] = node.arguments.map((it) =>
          ts.isStringLiteralLike(it) ? it.text : '',
        )
        if (called === 'blockAfter') found.push(findBlock(page, words))
        if (called === 'blocksIn') found.push(...blocksIn(page, words))
      }
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
    return found
  })
}

/** Neither a command nor code: a diagram that `npm run architecture` draws. */
const PICTURES = ['mermaid']

describe('every code block in the documents', () => {
  const running = new Set(blocksThatRun().map(nameOf))
  const code = BLOCKS.filter(({ language }) => !PICTURES.includes(language))

  it('is run by a test, type-checked, or marked with the reason why not', () => {
    const neither = code.filter((block) => !running.has(nameOf(block)) && block.mark === '')
    expect(neither.map(nameOf)).toEqual([])
  })

  it('has no invalid mark, and no mark at all if a test runs it', () => {
    const wrong = code.filter(({ mark, language }) => {
      if (mark === 'types-only') return !/^(ts|tsx|js)$/.test(language)
      return mark !== '' && !/^not-run: .{15,}$/.test(mark)
    })
    expect(wrong.map(nameOf)).toEqual([])
    const both = code.filter((block) => running.has(nameOf(block)) && block.mark !== '')
    expect(both.map(nameOf)).toEqual([])
  })
})

describe("the commands in the documents' text", () => {
  const pages = PAGES.filter((page) => /^(README|docs)/.test(page))
  const commands = [...new Set(pages.flatMap(commandsIn))]

  it("exist, or are listed with the reason why they aren't checked", () => {
    const unknown = commands.filter((command) => !(command in NOT_RUN) && !isThere(command))
    expect(unknown).toEqual([])
    expect(commands.length).toBeGreaterThan(40)
  })

  it('include each one that is listed as an exception', () => {
    expect(Object.keys(NOT_RUN).filter((command) => !commands.includes(command))).toEqual([])
  })
})

/** Whether a command exists: an npm script, or a `placard` command with these options. */
function isThere(command: string): boolean {
  const [program, ...words] = command.replace(/^npx --no -- /, '').split(' ')
  const [name = '', ...rest] = words.filter((word) => word !== 'run')
  if (program === 'npm') return name in manifest.scripts
  if (program !== 'placard') return false
  if (!Object.hasOwn(OPTIONS, name)) return name === 'help' || name.startsWith('--')
  const help = helpFor(name as CommandName, 'http://127.0.0.1:3000')
  const options = rest.filter((word) => word.startsWith('--') && word !== '--url')
  return options.every((option) => help.includes(option))
}

describe.each(PAGES)('%s', (page) => {
  const text = read(page)

  it('links only to pages, folders and headings that exist', () => {
    const links = [...text.matchAll(/\]\(((?:[^()]|\([^()]*\))+)\)|src(?:set)?="([^"]+)"/g)]
      .map(([, link, source]) => link ?? source ?? '')
      .filter((link) => !/^[a-z]+:/.test(link) && !link.startsWith('/'))
    const broken = links.filter((link) => {
      const [path = '', heading] = link.split('#')
      const target = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path)
      if (!existsSync(target)) return true
      return heading !== undefined && !headings(readFileSync(target, 'utf8')).includes(heading)
    })
    expect(broken).toEqual([])
  })

  it("never lets npx fetch somebody else's package with our name", () => {
    const commands = [...text.matchAll(/npx [^`\n]*?\bplacard\b/g)].map(([command]) => command)
    expect(commands.filter((command) => command !== PROGRAM)).toEqual([])
  })

  it('mentions only repository files that exist', () => {
    const named = [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|mjs|css|md|json))`/g)]
      .map(([, path = '']) => path)
      // Leaves out the files of a reader's own app or site, and what they import.
      .filter((path) => page !== 'docs/sites.md' && !/^(app|server|placard)\//.test(path))
    expect(named.filter((path) => ![path, join('src', path)].some(fileIsThere))).toEqual([])
  })
})

const fileIsThere = (path: string) => existsSync(join(ROOT, path))

/** The anchors that code hosts give to the headings of a page. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
