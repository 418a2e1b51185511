import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { defineConfig, type UserConfig } from 'tsdown'

const library = {
  index: 'src/entries/index.ts',
  sqlite: 'src/entries/sqlite.ts',
  postgres: 'src/entries/postgres.ts',
  react: 'src/entries/react.ts',
  html: 'src/entries/html.ts',
  element: 'src/entries/element.ts',
  next: 'src/entries/next.ts',
  'next-live': 'src/entries/next-live.ts',
  client: 'src/entries/client.ts',
  admin: 'src/entries/admin.ts',
}

const there = (entry: Record<string, string>) =>
  Object.fromEntries(Object.entries(entry).filter(([, file]) => existsSync(file)))

const BAR = [
  ...['theme', 'placard', 'text', 'beams', 'controls'].map((part) => `src/bar/${part}.css`),
  'src/browser/element.css',
]
const ADMIN = ['base', 'shell', 'forms', 'composer', 'preview', 'lists', 'site'].map(
  (part) => `src/admin/styles/${part}.css`,
)
/** What the admin serves. It is data that a module imports, because a bundler would lose files beside the module. */
const ADMIN_FILES = '#admin-files'

/** Several sheets as one. */
async function joined(sheets: string[]): Promise<string> {
  return (await Promise.all(sheets.map((sheet) => readFile(sheet, 'utf8')))).join('\n')
}

/** Scripts that are printed into pages are text before anything bundles them, minified. */
const inlineScripts = {
  name: 'inline scripts',
  load: {
    filter: { id: /\/src\/bar\/scripts\.ts$/ },
    async handler(id: string) {
      const lines = Object.entries(await import(pathToFileURL(id).href)).map(
        async ([name, text]) => {
          const { code } = await transform(String(text), { minify: true, target: 'es2022' })
          return `export const ${name}: string = ${JSON.stringify(code.trim().replace(/;$/, ''))}`
        },
      )
      return (await Promise.all(lines)).join('\n')
    },
  },
}

/** Migrations become text where they are used, because a bundler would lose the files. */
const inlineSql = {
  name: 'inline sql',
  load: {
    filter: { id: /\/src\/store\/sql\/files\.ts$/ },
    handler: async (id: string) =>
      Object.entries(await import(pathToFileURL(id).href))
        .map(([name, text]) => `export const ${name}: string = ${JSON.stringify(text)}`)
        .join('\n'),
  },
}

/** Reading the icons takes 4 ms of a start and 3 MiB, so the service does so when it first draws one. */
const lateIcons = {
  name: 'late icons',
  load: {
    filter: { id: /\/lucide\/icons\.json$/ },
    handler: () => ({
      moduleType: 'js' as const,
      code: `import { createRequire } from 'node:module'
        let read
        const lucide = () => (read ??= createRequire(import.meta.url)('@iconify-json/lucide/icons.json'))
        export default { get icons() { return lucide().icons }, get aliases() { return lucide().aliases } }`,
    }),
  },
}

/** The licences of the packages that these files belong to, as they ask for where their code is copied. */
async function licencesOf(files: readonly string[]): Promise<string> {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  )
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
    const [file] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e}*', { cwd: folder })
    const text = file
      ? await readFile(`${folder}/${file}`, 'utf8')
      : 'Its package has no text of it.'
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A classic script, because a module can't find its own tag. */
const script = (name: string, file: string, done: () => Promise<void>) =>
  ({
    name: `${name}.js`,
    entry: { [name]: file },
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    // They run where a page is. Elsewhere the element's class may be imported without one.
    define: { 'globalThis.HTMLElement': 'true' },
    dts: false,
    clean: false,
    report: false,
    // Marks for other bundlers would cost each page 20 bytes.
    outputOptions: { entryFileNames: '[name].js', comments: false },
    hooks: { 'build:done': done },
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
    // The directive `'use client'` stays in `next-live`, which nothing else is bundled with.
    inputOptions: { checks: { moduleLevelDirective: false } },
    // Dependencies stay imports: an app has one React, and bundles what it uses of the rest.
    deps: { skipNodeModulesBundle: true, neverBundle: [/^node:/, ADMIN_FILES] },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
    // Apart from the chunks of the command line, which may have the same names.
    outputOptions: { chunkFileNames: 'shared/[name].js' },
    plugins: [inlineScripts, inlineSql],
    clean: false,
    hash: false,
    report: false,
    // As text, because what bundles the types would lose the comments in it.
    hooks: {
      'build:done': async () =>
        appendFile('dist/element.d.ts', await readFile('src/entries/element-frameworks.txt')),
    },
  },
  script('embed', 'src/browser/embed.ts', async () => {
    const styles = await joined(BAR)
    const { code } = await transform(styles, { loader: 'css', minify: true })
    await Promise.all([
      writeFile('dist/placard.css', styles),
      // TypeScript 6 checks imports of stylesheets too.
      writeFile('dist/placard.css.d.ts', 'export {}\n'),
      // The service puts these before the script.
      writeFile('dist/embed.css', code),
    ])
  }),
  script('page', 'src/browser/page.ts', async () =>
    writeFile('dist/page.css', await joined(['src/page/page.css'])),
  ),
  script('admin-page', 'src/browser/admin.ts', async () => {
    const built = 'dist/admin-page.js'
    const files = {
      'admin-page.js': await readFile(built, 'utf8'),
      'admin-page.css': await joined(ADMIN),
      'placard.css': await joined(BAR),
    }
    await writeFile('dist/admin-files.json', JSON.stringify(files))
    await rm(built)
  }),
  {
    name: 'command line',
    entry: there({ cli: 'src/cli/main.ts' }),
    platform: 'node',
    // In one piece, because finding 300 files takes longer than running them: this halves the time to the first answer.
    deps: {
      alwaysBundle: [/.*/],
      onlyBundle: false,
      neverBundle: ['pg-native', 'prom-client', ADMIN_FILES],
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    outExtensions: () => ({ js: '.js' }),
    outputOptions: {
      chunkFileNames: 'cli/[name].js',
      // One file for all that several commands load: finding each file takes 1 ms of a start.
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
    },
    // The names stay, for stack traces. Comments go, so the licences of what is bundled are in a file of their own.
    minify: { compress: true, mangle: false, codegen: true },
    plugins: [
      inlineScripts,
      inlineSql,
      lateIcons,
      {
        name: 'Latin-1 and licences',
        async generateBundle(_, bundle) {
          const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
          // V8 keeps a source with one letter past Latin-1 at two bytes a character.
          for (const chunk of chunks) chunk.code = chunk.code.replaceAll(/[^\0-\xff]/g, escaped)
          const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
          this.emitFile({
            type: 'asset',
            fileName: 'cli/licences.txt',
            source: await licencesOf(modules),
          })
        },
      },
    ],
    dts: false,
    clean: false,
    hash: false,
    report: false,
  },
])
