/**
 * Writes a picture of the rooms of `src/` and their imports, by the import graph, into docs/architecture.md. With
 * `--check` it writes nothing and fails if the picture there is not the current one.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import config from '../.dependency-cruiser.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const PAGE = 'docs/architecture.md'
const BETWEEN = /(?<=<!-- picture -->\n)[\s\S]*?(?=<!-- \/picture -->)/
const SOURCE = /^src\/.*\.tsx?$/

const { output } = await cruise(['src'], config.options, undefined, {
  tsConfig: extractTSConfig('tsconfig.json'),
})
const files = output.modules
  .filter(({ source }) => SOURCE.test(source) && !source.endsWith('.d.ts'))
  .map(({ source, dependencies }) => ({
    source,
    imports: dependencies.map(({ resolved }) => resolved).filter((path) => SOURCE.test(path)),
  }))

const page = readFileSync(PAGE, 'utf8')
if (!BETWEEN.test(page)) throw new Error(`${PAGE} has no place for the picture`)
const current = page.replace(BETWEEN, () => picture(graphOf(files)))
if (!process.argv.includes('--check')) writeFileSync(PAGE, current)
else if (current !== page) {
  console.error(`The picture in ${PAGE} is out of date: npm run architecture`)
  process.exitCode = 1
}

/** A folder of `src/` is a room, and so is a file beside the folders. */
function roomOf(path) {
  return path.split('/')[1]
}

/** Rooms, and whom each imports. */
function graphOf(files) {
  const graph = new Map()
  for (const { source, imports } of files) {
    const room = roomOf(source)
    const targets = imports.map(roomOf).filter((target) => target !== room)
    graph.set(room, new Set([...(graph.get(room) ?? []), ...targets]))
  }
  return graph
}

function reachable(graph, from, seen = new Set()) {
  for (const next of graph.get(from) ?? []) {
    if (!seen.has(next)) reachable(graph, next, seen.add(next))
  }
  return seen
}

/** Mermaid, which code hosts render. An arrow that a longer way implies is left out. */
function picture(graph) {
  const rooms = [...graph.keys()].sort()
  const id = (room) => room.replace(/\W/g, '_')
  const nodes = rooms.map((room) => `  ${id(room)}["${room}"]`)
  const arrows = rooms.flatMap((room) => {
    const targets = [...graph.get(room)].sort()
    const isImplied = (target) =>
      targets.some((via) => {
        const further = reachable(graph, via)
        return via !== target && further.has(target) && !further.has(room)
      })
    return targets.filter((it) => !isImplied(it)).map((it) => `  ${id(room)} --> ${id(it)}`)
  })
  return ['```mermaid', 'flowchart TD', ...nodes, ...arrows, '```', ''].join('\n')
}
