import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

it('what npm run bench and npm run soak run imports nothing that runs in tests alone', async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: readdirSync(join(ROOT, 'bench'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `bench/${name}`),
    outdir: 'unwritten',
    write: false,
    metafile: true,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
  const inputs = Object.entries(metafile.inputs)
  expect(inputs.map(([file]) => file)).toContain('test/histories/run.ts')
  const inTestsAlone = inputs.filter(([, { imports }]) =>
    imports.some(({ path }) => path === 'vitest'),
  )
  expect(inTestsAlone.map(([file]) => file)).toEqual([])
})
