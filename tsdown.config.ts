import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { defineConfig, type UserConfig } from 'tsdown'

const library = {
  index: 'src/index.ts',
  sqlite: 'src/sqlite.ts',
  postgres: 'src/postgres.ts',
  react: 'src/react.ts',
  element: 'src/element.ts',
  next: 'src/next/index.ts',
  'next-live': 'src/next/live.tsx',
  client: 'src/client.ts',
  admin: 'src/admin/index.ts',
}

const there = (entry: Record<string, string>) =>
  Object.fromEntries(Object.entries(entry).filter(([, file]) => existsSync(file)))

/** A classic script, because a module can't find its own tag, and the styles that it loads. */
const script = (name: string, file: string, styles: { to: string; from: string[] }) =>
  ({
    name: `${name}.js`,
    entry: { [name]: file },
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    dts: false,
    clean: false,
    report: false,
    outputOptions: { entryFileNames: '[name].js' },
    hooks: {
      async 'build:done'() {
        const sheets = await Promise.all(styles.from.map((sheet) => readFile(sheet, 'utf8')))
        await writeFile(styles.to, sheets.join('\n'))
      },
    },
  }) satisfies UserConfig

// Once, here, because the builds run side by side, and each would remove what another has written.
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
// It is renamed to `.built` when all builds are through. Its time says which sources they saw.
writeFileSync('dist/.building', '')

/** Three builds of one tree: what is imported, what a browser loads, what is run. */
export default defineConfig([
  {
    name: 'library',
    entry: there(library),
    dts: true,
    platform: 'neutral',
    // Dependencies stay imports: an app has one React, and bundles what it uses of the rest.
    deps: { skipNodeModulesBundle: true, neverBundle: [/^node:/] },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
    // Apart from the chunks of the command line, which may have the same names.
    outputOptions: { chunkFileNames: 'shared/[name].js' },
    clean: false,
    hash: false,
    report: false,
  },
  script('embed', 'src/browser/embed.ts', {
    to: 'dist/placard.css',
    from: [
      ...['theme', 'placard', 'text', 'beams', 'controls'].map((part) => `src/bar/${part}.css`),
      'src/browser/element.css',
    ],
  }),
  script('page', 'src/browser/page.ts', {
    to: 'dist/page.css',
    from: ['src/page/page.css'],
  }),
  script('admin-page', 'src/browser/admin.ts', {
    to: 'dist/admin-page.css',
    from: [
      'base',
      'shell',
      'forms',
      'composer',
      'verdict',
      'preview',
      'lists',
      'timeline',
      'site',
    ].map((part) => `src/admin/styles/${part}.css`),
  }),
  {
    name: 'command line',
    entry: there({ cli: 'src/cli/main.ts' }),
    platform: 'node',
    // In one piece, because finding 300 files takes longer than running them: this halves the time to the first answer.
    // Without the icons: reading their 600 KB as data takes 6 ms, and as part of a program 30 ms.
    deps: {
      alwaysBundle: [/.*/],
      onlyBundle: false,
      neverBundle: ['pg-native', 'prom-client', /^@iconify-json/],
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    outExtensions: () => ({ js: '.js' }),
    outputOptions: { chunkFileNames: 'cli/[name].js' },
    dts: false,
    clean: false,
    hash: false,
    report: false,
  },
])
