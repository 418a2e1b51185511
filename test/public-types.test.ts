import { join } from 'node:path'
import ts from 'typescript'
import { expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import manifest from '../package.json' with { type: 'json' }
import type { DraftInput } from '../src/core/announcement.ts'
import type { posting } from '../src/core/fields.ts'
import { ROOT } from './command-line.ts'

/** The declarations of each import path of the package: those of `placard/next` are in `dist/next.d.ts`. */
const ENTRIES = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'object' ? [[path, join(ROOT, target.types)] as const] : [],
)

const declared = ts.createProgram({
  rootNames: ENTRIES.map(([, file]) => file),
  options: { module: ts.ModuleKind.NodeNext, noLib: true },
})

it.each(ENTRIES)('%s exports every type of ours that its declarations use', (_, file) => {
  expect(unexported(declared, file)).toEqual([])
})

it.each(ENTRIES)('%s documents everything that it exports', (_, file) => {
  const undocumented = exportsOf(declared, file).filter(
    (symbol) => symbol.getDocumentationComment(declared.getTypeChecker()).length === 0,
  )
  expect(undocumented.map(({ name }) => name)).toEqual([])
})

// The compiler checks that the documented fields are those that a request may have (contract A10).
expectTypeOf<DraftInput>().toEqualTypeOf<z.input<typeof posting>>()

it('placard/element types the element for JSX and the DOM, and placard.css can be imported', () => {
  const lines = [
    "import 'placard/placard.css'",
    "import type { PlacardLink } from 'placard/element'",
    'export const bar = <placard-link src="https://notices.example" data-lang="en" />',
    "export const found: PlacardLink | null = document.querySelector('placard-link')",
    'export const wrong = <placard-link src={1} />',
  ]
  const file = join(ROOT, 'test/unwritten.tsx')
  const options: ts.CompilerOptions = {
    strict: true,
    noUncheckedSideEffectImports: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.ReactJSX,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ESNext)
      : getSourceFile(name, ...rest)
  const program = ts.createProgram([file], options, host)
  // Our declarations must be valid even without Vue and Svelte. Checking the dependencies' would take seconds.
  const ours = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('node_modules'))
  const found = ours.flatMap((one) => program.getSemanticDiagnostics(one))
  const faults = found.map(({ file, start = 0 }) => {
    return file && [file.fileName, file.getLineAndCharacterOfPosition(start).line]
  })
  expect(faults).toEqual([[file, 4]])
})

function exportsOf(program: ts.Program, file: string): ts.Symbol[] {
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.Node) as ts.Symbol
  return checker.getExportsOfModule(module).map((symbol) => original(checker, symbol))
}

const original = (checker: ts.TypeChecker, symbol: ts.Symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

function unexported(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker()
  const exported = new Set(exportsOf(program, file))
  const missing = new Set<string>()

  function visit(node: ts.Node) {
    const symbol = ts.isIdentifier(node) && checker.getSymbolAtLocation(node)
    const found = symbol && original(checker, symbol)
    if (found && isOurs(found) && !exported.has(found)) missing.add(symbol.name)
    ts.forEachChild(node, visit)
  }
  for (const { declarations = [] } of exported) declarations.forEach(visit)
  return [...missing]
}

/** Whether this package declares the type. */
function isOurs({ flags, declarations = [] }: ts.Symbol): boolean {
  const isType = (flags & ts.SymbolFlags.Type & ~ts.SymbolFlags.TypeParameter) !== 0
  return isType && declarations.some((it) => it.getSourceFile().fileName.includes('/dist/'))
}
