import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { temporaryDirectory } from '../stores.ts'
import { put } from './guide.ts'
import { complaints, pack, QUICK, run, STRICT } from './npm.ts'

const TYPESCRIPT = 'typescript@5.9.3'
/** Older than what our own types are checked with. */
const ES2022 = { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] }
/** In Vue, this needs a file of its own: a component's `<placard-link>` would be taken for its import `PlacardLink`. */
const MAIN = `import { definePlacardLink, type PlacardLink } from 'placard/element'
definePlacardLink()
export const found: PlacardLink | null = document.querySelector('placard-link')`

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
  packed = await pack(temporaryDirectory())
})

it.each(FRAMEWORKS)(
  'the element is typed in a strict project with $name, without declarations of its own',
  async ({ packages, check, options, file, right = '"https://notices.example"', wrong }) => {
    const home = temporaryDirectory()
    put(home, 'src/main.ts', MAIN)
    put(home, 'package.json', '{ "private": true, "type": "module" }')
    // Without this, Vue's compiler accepts every unknown element.
    const vueCompilerOptions = { strictTemplates: true }
    const config = {
      compilerOptions: { ...STRICT, ...ES2022, ...options },
      vueCompilerOptions,
      include: ['src'],
    }
    put(home, 'tsconfig.json', JSON.stringify(config))
    await run(home, 'npm', ['install', ...QUICK, packed, TYPESCRIPT, ...packages])
    const [program = '', ...args] = check
    const faults = async (src: string) => {
      const [name = '', text = ''] = file(src)
      put(home, join('src', name), text)
      return complaints(home, join(home, 'node_modules/.bin', program), args)
    }
    expect(await faults(right)).toBe('')
    expect(await faults(wrong)).toContain("Type 'number' is not assignable to type 'string'")
  },
)
