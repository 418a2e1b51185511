import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it, vi } from 'vitest'
import { build, ROOT } from '../command-line.ts'
import { temporaryDirectory } from '../stores.ts'
import { put } from './guide.ts'
import { environmentOf } from './serve.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const run = promisify(execFile)
const TYPESCRIPT = 'typescript@5.9.3'
const QUICK = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
const STRICT = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] },
  ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] },
  ...{ module: 'esnext', moduleResolution: 'bundler' },
}
/** In Vue, it has to stand in a file of its own: a component's import of that name would be taken for its `<placard-link>`. */
const MAIN = `import { PlacardLink } from 'placard/element'
customElements.define('placard-link', PlacardLink)`

/** Each with an element as a guide writes it, and one whose address is a number. */
const FRAMEWORKS = [
  {
    name: 'React 19',
    packages: ['react@19.3.1', '@types/react@19.3.0'],
    check: ['tsc'],
    options: { jsx: 'react-jsx' },
    file: (src: string) => [
      'bar.tsx',
      `export const bar = <placard-link src=${src} data-lang="en" className="bar" />`,
    ],
    wrong: '{1}',
  },
  {
    name: 'Vue 3',
    packages: ['vue@3.5.45', 'vue-tsc@3.3.14'],
    check: ['vue-tsc'],
    options: { jsx: 'preserve', jsxImportSource: 'vue' },
    file: (src: string) => [
      'Bar.vue',
      `<script setup lang="ts"></script>\n<template><placard-link :src=${src} data-lang="en" class="bar" /></template>`,
    ],
    right: `"'https://notices.example'"`,
    wrong: '"1"',
  },
  {
    name: 'Svelte 5',
    packages: ['svelte@5.57.3', 'svelte-check@4.7.8'],
    check: ['svelte-check', '--tsconfig', 'tsconfig.json', '--output', 'machine'],
    options: {},
    file: (src: string) => [
      'Bar.svelte',
      `<script lang="ts"></script>\n<placard-link src=${src} data-lang="en" class="bar"></placard-link>`,
    ],
    wrong: '{1}',
  },
]

let packed: string
beforeAll(async () => {
  build()
  const folder = temporaryDirectory()
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse((await run('npm', packing, { cwd: ROOT })).stdout)
  packed = join(folder, filename)
})

it.each(FRAMEWORKS)(
  'the element is typed in a strict project with $name, with nothing pasted',
  async ({ packages, check, options, file, right = '"https://notices.example"', wrong }) => {
    const home = temporaryDirectory()
    put(home, 'src/main.ts', MAIN)
    put(home, 'package.json', '{ "private": true, "type": "module" }')
    // Without this, Vue's compiler lets each element pass that it doesn't know.
    const vueCompilerOptions = { strictTemplates: true }
    const config = {
      compilerOptions: { ...STRICT, ...options },
      vueCompilerOptions,
      include: ['src'],
    }
    put(home, 'tsconfig.json', JSON.stringify(config))
    const env = environmentOf()
    const installed = ['install', ...QUICK, packed, TYPESCRIPT, ...packages]
    await run('npm', installed, { cwd: home, env })
    const [program = '', ...args] = check
    const faults = async (src: string) => {
      const [name = '', text = ''] = file(src)
      put(home, join('src', name), text)
      const checked = run(join(home, 'node_modules/.bin', program), args, { cwd: home, env })
      return checked.then(
        () => '',
        ({ stdout }) => stdout as string,
      )
    }
    expect(await faults(right)).toBe('')
    expect(await faults(wrong)).toContain("Type 'number' is not assignable to type 'string'")
  },
)
