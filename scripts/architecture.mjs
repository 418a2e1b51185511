/**
 * Draws the modules of `src/` and their imports, from the import graph, into docs/architecture.md. With `--check` it
 * writes nothing, and fails if the picture there is out of date, or an import breaks a rule of .dependency-cruiser.mjs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cruise, format } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import config from '../.dependency-cruiser.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const PAGE = 'docs/architecture.md'
const BETWEEN = /(?<=<!-- picture -->\n)[\s\S]*?(?=<!-- \/picture -->)/
const SOURCE = /^src\/.*\.tsx?$/

const checked = { ...config.options, ruleSet: config, validate: true }
const { output } = await cruise(['src'], checked, undefined, {
  tsConfig: extractTSConfig('tsconfig.json'),
})
const files = output.modules
  .filter(({ source }) => SOURCE.test(source) && !source.endsWith('.d.ts'))
  .map(({ source, dependencies }) => ({
    source,
    imports: dependencies.map(({ resolved }) => resolved).filter((path) => SOURCE.test(path)),
  }))

const page = readFileSync(PAGE, 'utf8')
if (!BETWEEN.test(page)) throw new Error(`${PAGE} has no <!-- picture --> markers`)
const current = page.replace(BETWEEN, () => picture(graphOf(files)))
if (process.argv.includes('--check')) {
  const rules = await format(output, { outputType: 'err' })
  if (rules.exitCode > 0) fail(rules.output)
  if (current !== page) fail(`The picture in ${PAGE} is out of date. Run: npm run architecture`)
} else writeFileSync(PAGE, current)

function fail(message) {
  console.error(message)
  process.exitCode = 1
}

/** A module is a folder of `src/`, or a file beside the folders. */
function layerOf(path) {
  return path.split('/')[1]
}

/** Maps each module to the modules that it imports. */
function graphOf(files) {
  const graph = new Map()
  for (const { source, imports } of files) {
    const layer = layerOf(source)
    const targets = imports.map(layerOf).filter((target) => target !== layer)
    graph.set(layer, new Set([...(graph.get(layer) ?? []), ...targets]))
  }
  return graph
}

function reachable(graph, from, seen = new Set()) {
  for (const next of graph.get(from) ?? []) {
    if (!seen.has(next)) reachable(graph, next, seen.add(next))
  }
  return seen
}

/** Draws the graph in Mermaid, which code hosts render. Omits arrows that a longer path implies. */
function picture(graph) {
  const layers = [...graph.keys()].sort()
  const id = (layer) => layer.replace(/\W/g, '_')
  const nodes = layers.map((layer) => `  ${id(layer)}["${layer}"]`)
  const arrows = layers.flatMap((layer) => {
    const targets = [...graph.get(layer)].sort()
    const isImplied = (target) =>
      targets.some((via) => {
        const further = reachable(graph, via)
        return via !== target && further.has(target) && !further.has(layer)
      })
    return targets.filter((it) => !isImplied(it)).map((it) => `  ${id(layer)} --> ${id(it)}`)
  })
  return ['```mermaid', 'flowchart TD', ...nodes, ...arrows, '```', ''].join('\n')
}
