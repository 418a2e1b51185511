import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
// Beside the sources, so that the compiler finds the same packages as for them.
const directory = join(ROOT, `node_modules/.cache/browser-types-${process.pid}`)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Compiles a file as if it stood in src/browser. */
function compile(source: string) {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'tried.ts'), source)
  const config = { extends: join(ROOT, 'src/browser/tsconfig.json'), include: ['.'] }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
  const { status, stdout } = spawnSync('tsc', ['--project', directory], { encoding: 'utf8' })
  return { status, stdout }
}

it('what is shipped to browsers can name what a browser has', () => {
  const source =
    "document.title = String(new URL(location.href).searchParams.get('x'))\nexport {}\n"
  expect(compile(source)).toEqual({ status: 0, stdout: '' })
})

it.each(['Buffer', 'process', 'setImmediate', 'NodeJS.Timeout'])(
  'what is shipped to browsers can not name %s of Node',
  (name) => {
    const source = name.includes('.')
      ? `export type Tried = ${name}\n`
      : `export const tried = ${name}\n`
    const { status, stdout } = compile(source)
    expect(status).not.toBe(0)
    expect(stdout).toContain('tried.ts')
  },
)
