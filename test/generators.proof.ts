import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { put } from './e2e/guide.ts'
import { complaints, QUICK, run, STRICT } from './e2e/npm.ts'
import { freePort } from './free-port.ts'
import { API_SECRET, nextAddress } from './harness.ts'
import { type Running, running } from './running.ts'
import { temporaryDirectory } from './stores.ts'

const GENERATORS = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'orval@8.38.0',
  // What the first two ask for as a peer.
  'typescript@5.9.3',
]

/** How to have a client made, and the six calls as its user writes them, with its own names and types. */
const CLIENTS: Record<string, { make: [tool: string, ...args: string[]]; calls: string }> = {
  'openapi-typescript and openapi-fetch': {
    make: ['openapi-typescript/bin/cli.js', './openapi.json', '-o', 'schema.d.ts'],
    calls: `
      import create from 'openapi-fetch'
      import type { paths } from './schema.d.ts'
      const { servers } = await import('./openapi.json')
      const client = create<paths>({ baseUrl: servers[0]!.url, headers })
      const published = await client.POST('/api/events', { body: draft })
      const id = published.response.headers.get('Placard-Event-Id')!
      const edited = await client.PUT('/api/events/{id}', {
        params: { path: { id } }, body: { ...draft, text: 'Edited' },
      })
      const read = await client.GET('/api/events')
      const undone = await client.POST('/api/events/undo', { body: {} })
      const history = await client.GET('/api/events/history', { params: { query: { limit: 2 } } })
      const withdrawn = await client.DELETE('/api/events', { body: { type: 'post' } })
      const status = [published, edited, read, undone, history, withdrawn].map((it) => it.response.status)
      const shown: string | undefined = read.data?.event?.text
      const actions = history.data?.entries.map(({ action }) => action)
      const deleted: number | undefined = withdrawn.data?.deleted`,
  },
  orval: {
    make: ['orval/dist/bin/orval.mjs', '--config', './orval.config.mjs'],
    calls: `
      import * as client from './orval'
      const published = await client.publishEvent(draft, { headers })
      const id = published.headers.get('Placard-Event-Id')!
      const edited = await client.editEvent(id, { ...draft, text: 'Edited' }, { headers })
      const read = await client.readEvent()
      const undone = await client.undo({}, { headers })
      const history = await client.readHistory({ limit: 2 }, { headers })
      const withdrawn = await client.deleteEvents({ type: 'post' }, undefined, { headers })
      const status = [published, edited, read, undone, history, withdrawn].map((it) => it.status)
      const shown = read.status === 200 ? read.data.event?.text : undefined
      const actions = history.status === 200 ? history.data.entries.map(({ action }) => action) : []
      const deleted = withdrawn.status === 200 ? withdrawn.data.deleted : undefined`,
  },
}

let service: Running
let folder: string

beforeAll(async () => {
  const port = String(await freePort())
  service = await running({ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` })
  folder = temporaryDirectory()
  const manifest = { name: 'app', private: true, type: 'module' }
  put(folder, 'package.json', JSON.stringify(manifest))
  await run(folder, 'npm', ['install', '--ignore-scripts', ...QUICK, ...GENERATORS])
  const document = await service.fetch('/api/openapi.json')
  put(folder, 'openapi.json', await document.text())
  put(
    folder,
    'orval.config.mjs',
    `export default { placard: {
      input: { target: './openapi.json' },
      output: { target: './orval.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
    } }`,
  )
  const more = { skipLibCheck: true, resolveJsonModule: true, allowImportingTsExtensions: true }
  const compilerOptions = { ...STRICT, ...more }
  put(folder, 'tsconfig.json', JSON.stringify({ compilerOptions }))
})

afterAll(() => service.close())

it.each(Object.entries(CLIENTS))(
  'contract R11: a client that %s makes can publish, edit, read, undo, list and withdraw',
  async (name, { make: [tool, ...args], calls }) => {
    await run(folder, process.execPath, [join('node_modules', tool), ...args])
    const file = `app-${name.replace(/\W+/g, '-')}.ts`
    const source = `
      const headers = {
        Authorization: 'Bearer ${API_SECRET}',
        'X-Forwarded-For': '${nextAddress()}',
      }
      const draft = { text: 'We wrote about it', type: 'post' as const, slug: '/blog' }
      ${calls}
      console.log(JSON.stringify({ status, shown, actions, deleted }))`
    put(folder, file, source)
    const config = `${file}.json`
    put(folder, config, JSON.stringify({ extends: './tsconfig.json', files: [file] }))
    const tsc = createRequire(join(folder, 'package.json')).resolve('typescript/bin/tsc')
    expect(await complaints(folder, process.execPath, [tsc, '-p', config])).toBe('')
    const outfile = join(folder, file.replace('.ts', '.mjs'))
    await build({
      ...{ entryPoints: [join(folder, file)], outfile, bundle: true },
      ...{ format: 'esm', platform: 'node', logLevel: 'silent' },
    })
    expect(JSON.parse(await run(folder, process.execPath, [outfile]))).toEqual({
      status: [201, 200, 200, 200, 200, 200],
      shown: 'Edited',
      actions: [expect.any(String), 'edited'],
      deleted: 1,
    })
  },
  60_000,
)
