import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../src/core/shell-command.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/*.md', 'examples/*/*.md'], { cwd: ROOT })

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8')

  it('links to pages, folders and headings that exist', () => {
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

  it('never lets npx fetch a package that somebody else gave our name', () => {
    const commands = [...text.matchAll(/npx [^`\n]*?\bplacard\b/g)].map(([command]) => command)
    expect(commands.filter((command) => command !== PROGRAM)).toEqual([])
  })

  it('names files of the repository that exist', () => {
    const named = [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|mjs|css|md|json))`/g)]
      .map(([, path = '']) => path)
      // Of a guide's reader: files of their own app or site, and what they import.
      .filter((path) => page !== 'docs/sites.md' && !/^(app|server|placard)\//.test(path))
    expect(named.filter((path) => ![path, join('src', path)].some(isThere))).toEqual([])
  })
})

const isThere = (path: string) => existsSync(join(ROOT, path))

/** The anchors that code hosts give to the headings of a page. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
