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
  'src/browser/gone.css',
  ...['theme', 'placard', 'text', 'beams', 'controls'].map((part) => `src/bar/${part}.css`),
  'src/browser/element.css',
]
const ADMIN = ['base', 'shell', 'forms', 'composer', 'preview', 'lists', 'site'].map(
  (part) => `src/admin/styles/${part}.css`,
)
/** The import with the admin's files as JSON. If a module read them from disk, an app's bundler would lose them. */
const ADMIN_FILES = '#admin-files'

async function joined(sheets: string[]): Promise<string> {
  return (await Promise.all(sheets.map((sheet) => readFile(sheet, 'utf8')))).join('\n')
}

/** The styles of the embedded bar as code: a minified string. */
const PLACARD_STYLES = JSON.stringify(
  (await transform(await joined(BAR), { loader: 'css', minify: true })).code.trim(),
)

/** Turns the scripts that are printed into pages into minified strings, before an app's bundler can change them. */
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

/** Inlines the migrations as strings, because an app's bundler would lose the SQL files. */
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

/** Makes the service load the icons when it first renders one, because loading them takes 4 ms and 3 MiB. */
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

/** Collects the licences of these files' packages, which require that copies of their code include the licence. */
async function licencesOf(files: readonly string[]): Promise<string> {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  )
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
    const [file] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e}*', { cwd: folder })
    const text = file
      ? await readFile(`${folder}/${file}`, 'utf8')
      : 'The package contains no licence text.'
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Builds a classic script, because a module can't find its own script tag. */
const script = (name: string, file: string, done: () => Promise<void>) =>
  ({
    name: `${name}.js`,
    entry: { [name]: file },
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    // These scripts run only in pages, which have `HTMLElement`. Apps may also import the element's class on a server.
    define: { 'globalThis.HTMLElement': 'true', PLACARD_STYLES },
    dts: false,
    clean: false,
    report: false,
    // Comments for other bundlers would cost each page 20 bytes.
    outputOptions: { entryFileNames: '[name].js', comments: false },
    hooks: { 'build:done': done },
  }) satisfies UserConfig

// Empties `dist` here, once: the builds run in parallel, and each would remove the files of the others.
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
// When all builds are done, `postbuild` renames this file to `.built`. Its time shows which changes they include.
writeFileSync('dist/.building', '')

/** Builds the library that apps import, the scripts and styles that browsers load, and the command line. */
export default defineConfig([
  {
    name: 'library',
    entry: there(library),
    dts: true,
    platform: 'neutral',
    // Silences a warning: the directive `'use client'` stays effective, because `next-live` is bundled by itself.
    inputOptions: { checks: { moduleLevelDirective: false } },
    // Dependencies stay imports, so that an app has only one React, and bundles only what it uses of the others.
    deps: { skipNodeModulesBundle: true, neverBundle: [/^node:/, ADMIN_FILES] },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
    // In a folder of their own, because chunks of the command line may have the same names.
    outputOptions: { chunkFileNames: 'shared/[name].js' },
    plugins: [inlineScripts, inlineSql],
    define: { PLACARD_STYLES },
    clean: false,
    hash: false,
    report: false,
    // Appends the file as text, because the bundler of the types would drop its comments, such as `@ts-expect-error`.
    hooks: {
      'build:done': async () =>
        appendFile('dist/element.d.ts', await readFile('src/entries/element-frameworks.txt')),
    },
  },
  script('embed', 'src/browser/embed.ts', async () => {
    const styles = await joined(BAR)
    await Promise.all([
      writeFile('dist/placard.css', styles),
      writeFile('dist/placard.min.css', JSON.parse(PLACARD_STYLES)),
      // TypeScript 6 checks imports of stylesheets too.
      writeFile('dist/placard.css.d.ts', 'export {}\n'),
    ])
  }),
  script('page', 'src/browser/page.ts', async () =>
    writeFile('dist/page.css', await joined(['src/page/page.css'])),
  ),
  script('admin-page', 'src/admin/browser/main.ts', async () => {
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
    // Bundles the dependencies too, because finding 300 files takes longer than running them. This halves the time from
    // the start to the first response.
    deps: {
      alwaysBundle: [/.*/],
      onlyBundle: false,
      neverBundle: ['pg-native', 'prom-client', ADMIN_FILES],
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    outExtensions: () => ({ js: '.js' }),
    outputOptions: {
      chunkFileNames: 'cli/[name].js',
      // Code that many parts share is in one file, because each file adds 1 ms to the start. What only two parts share
      // isn't: the Postgres driver would be loaded by every command.
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 3 }] },
    },
    // Keeps names, for stack traces. Removes comments, so the licences of bundled packages are in a separate file.
    minify: { compress: true, mangle: false, codegen: true },
    plugins: [
      inlineScripts,
      inlineSql,
      lateIcons,
      {
        name: 'Latin-1 and licences',
        async generateBundle(_, bundle) {
          const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
          // If a source has a single character outside Latin-1, V8 stores all of it at two bytes per character.
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
