/** Typical sites: what each is built with, and what docs/sites.md says to add. */
import { blockAfter } from '../printed.ts'

export interface Site {
  /** The heading of its recipe. */
  name: string
  /** From npm, with the versions that are tested. */
  packages: string[]
  /** The programs that the machine needs. */
  needs?: string[]
  /** The files that its owner already has. */
  files: Record<string, string>
  /** What the recipe says: a new file, or a part to add after these words of an existing file. */
  recipe: [path: string, text: string, after?: string][]
  build: [program: string, ...args: string[]]
  /** The folder to serve. */
  output: string
  /** The control that makes it dark, if there is one. */
  dark?: string
  /** The menu of headings that it has instead of a sidebar. */
  outline?: string
  /** Whether a link loads a new document. */
  loads?: boolean
  /** The text of its skip link, which stays the first Tab stop. */
  skipLink?: string
}

const REACT = ['react@19.3.1', 'react-dom@19.3.1']
const BUILDS = 'node_modules/@wp-playground/wordpress-builds'
/** Makes WordPress write two pages into `out`, with SQLite and its default theme, as it would serve them. */
const RENDER = `
set -e
cp -r ${BUILDS}/public/wp-6.5/. .
unzip -qo ${BUILDS}/src/wordpress/wp-6.5.zip
unzip -qo ${BUILDS}/src/sqlite-database-integration/sqlite-database-integration.zip -d wp-content/plugins
mv wp-content/plugins/sqlite-database-integration-main wp-content/plugins/sqlite
sed "s#{SQLITE_IMPLEMENTATION_FOLDER_PATH}#$PWD/wp-content/plugins/sqlite#" wp-content/plugins/sqlite/db.copy > wp-content/db.php
php make.php
mkdir -p out/guide
php render.php / > out/index.html
php render.php /guide/ > out/guide/index.html
cp -r wp-includes wp-content out`

const TOPICS = ['Install', 'Configure', 'Deploy', 'Extend', 'Measure', 'Secure', 'Upgrade', 'Ask']
const LINES = 'Read what this does before you change it, and keep a copy of what you had. '.repeat(
  6,
)
/** A page that can be scrolled, with headings. */
const page = (title: string) =>
  `# ${title}\n\n${TOPICS.map((it) => `## ${it}\n\n${LINES}\n`).join('\n')}`
const html = (title: string) =>
  `<h1>${title}</h1>${TOPICS.map((it) => `<h2 id="${it.toLowerCase()}">${it}</h2><p>${LINES}</p>`).join('')}`

/** What an app without a theme has: a sticky header, and a button for dark mode. `link` is a link as its router writes it. */
const chrome = (link = '<a href="/guide">Guide</a>') =>
  `<header><a href="/">Vesper</a> ${link} <button id="dark" type="button">Dark</button></header>`
const CHROME = `
  body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: #18181b; background: #fff }
  .dark body { color: #f4f4f5; background: #18181b }
  a { color: inherit } main { max-width: 44rem; margin: auto; padding: 1rem }
  h2 { scroll-margin-top: 5rem }
  header { position: sticky; top: 0; display: flex; gap: 1rem; padding: 1rem; background: inherit; z-index: 5 }
`
const TOGGLE = `{
  let dark = false
  const set = () => document.documentElement.classList.toggle('dark', dark)
  document.addEventListener('click', ({ target }) => {
    if (target.id === 'dark') dark = !dark
    set()
  })
  document.addEventListener('astro:after-swap', set)
}`

/** The page that such an app begins with. */
const shell = (root: string, head = '') => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Vesper</title>
    <style>${CHROME}</style><script>${TOGGLE}</script>${head}</head>
  <body>
    ${root}
  </body>
</html>`

export const SITES: Site[] = [
  {
    name: 'VitePress',
    skipLink: 'Skip to content',
    packages: ['vitepress@1.6.4', 'vue@3.5.45'],
    files: {
      'index.md': page('Vesper'),
      'guide.md': page('Guide'),
      '.vitepress/config.mts': `import { defineConfig } from 'vitepress'
        export default defineConfig({
          title: 'Vesper',
          themeConfig: {
            nav: [{ text: 'Guide', link: '/guide' }],
            sidebar: [{ text: 'Start', items: [{ text: 'Vesper', link: '/' }, { text: 'Guide', link: '/guide' }] }],
          },
        })`,
    },
    recipe: [
      ['.vitepress/theme/index.ts', blockAfter('docs/sites.md', '`.vitepress/theme/index.ts`')],
      ['.vitepress/theme/bar.css', blockAfter('docs/sites.md', '`.vitepress/theme/bar.css`')],
      [
        '.vitepress/config.mts',
        blockAfter('docs/sites.md', '`.vitepress/config.mts`'),
        'defineConfig({',
      ],
    ],
    build: ['vitepress', 'build'],
    output: '.vitepress/dist',
    dark: '.VPSwitchAppearance',
    outline: '.VPLocalNavOutlineDropdown',
  },
  {
    name: 'Docusaurus',
    skipLink: 'Skip to main content',
    packages: ['@docusaurus/core@3.10.2', '@docusaurus/preset-classic@3.10.2', ...REACT],
    files: {
      'docs/intro.md': `---\nslug: /\n---\n${page('Vesper')}`,
      'docs/guide.md': page('Guide'),
      'src/css/custom.css': ':root { --ifm-color-primary: #4f46e5 }\n',
      'docusaurus.config.js': `export default {
        title: 'Vesper', url: 'https://vesper.example', baseUrl: '/',
        presets: [['classic', { blog: false, docs: { routeBasePath: '/' }, theme: { customCss: './src/css/custom.css' } }]],
        themeConfig: { navbar: { title: 'Vesper', items: [{ to: '/guide', label: 'Guide' }] } },
      }`,
    },
    recipe: [
      [
        'src/theme/AnnouncementBar.js',
        blockAfter('docs/sites.md', '`src/theme/AnnouncementBar.js`'),
      ],
      ['src/css/custom.css', blockAfter('docs/sites.md', '## The space'), ''],
      [
        'docusaurus.config.js',
        blockAfter('docs/sites.md', '`docusaurus.config.js`'),
        'export default {',
      ],
    ],
    build: ['docusaurus', 'build'],
    output: 'build',
    dark: 'button[class*=toggleButton]',
  },
  {
    name: 'Starlight',
    skipLink: 'Skip to content',
    packages: ['astro@7.3.5', '@astrojs/starlight@0.42.4'],
    files: {
      'src/content.config.ts': `import { defineCollection } from 'astro:content'
        import { docsLoader } from '@astrojs/starlight/loaders'
        import { docsSchema } from '@astrojs/starlight/schema'
        export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }`,
      'src/content/docs/index.md': page('').replace('# ', '---\ntitle: Vesper\n---\n'),
      'src/content/docs/guide.md': page('').replace('# ', '---\ntitle: Guide\n---\n'),
      'astro.config.mjs': `import starlight from '@astrojs/starlight'
        export default {
          integrations: [starlight({
            title: 'Vesper',
          })],
        }`,
    },
    recipe: [
      ['src/components/Banner.astro', blockAfter('docs/sites.md', '`src/components/Banner.astro`')],
      ['astro.config.mjs', blockAfter('docs/sites.md', 'In `astro.config.mjs`'), 'starlight({'],
    ],
    build: ['astro', 'build'],
    output: 'dist',
    dark: 'starlight-theme-select select',
    loads: true,
  },
  {
    name: 'MkDocs Material',
    skipLink: 'Skip to content',
    packages: [],
    files: {
      'docs/index.md': page('Vesper'),
      'docs/guide.md': page('Guide'),
      'mkdocs.yml': `site_name: Vesper
site_url: https://vesper.example/
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.instant]
  palette:
    - {scheme: default, toggle: {icon: material/weather-night, name: Dark}}
    - {scheme: slate, toggle: {icon: material/weather-sunny, name: Light}}
`,
    },
    recipe: [
      ['overrides/main.html', blockAfter('docs/sites.md', '`overrides/main.html`')],
      ['docs/bar.css', blockAfter('docs/sites.md', '`docs/bar.css`')],
      [
        'mkdocs.yml',
        blockAfter('docs/sites.md', 'At the top of `mkdocs.yml`'),
        'site_url: https://vesper.example/\n',
      ],
      ['mkdocs.yml', '\n  custom_dir: overrides', 'theme:'],
    ],
    build: ['mkdocs', 'build', '--quiet'],
    needs: ['mkdocs'],
    output: 'site',
    dark: 'label[for^=__palette]:not([hidden])',
  },
  {
    name: 'WordPress',
    packages: ['@wp-playground/wordpress-builds@0.9.19'],
    files: {
      'start.php': `<?php
        define('DISABLE_WP_CRON', true);
        define('WP_HTTP_BLOCK_EXTERNAL', true);
        define('WP_HOME', 'http://vesper.example');
        define('WP_SITEURL', 'http://vesper.example');
        $_SERVER += ['HTTP_HOST' => 'vesper.example', 'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1'];`,
      'make.php': `<?php
        require 'start.php';
        require 'wp-load.php';
        $post = fn ($title, $text) => wp_insert_post(
          ['post_title' => $title, 'post_content' => $text, 'post_type' => 'page', 'post_status' => 'publish'],
        );
        update_option('page_on_front', $post('Vesper', '${html('').replace('<h1></h1>', '')}'));
        update_option('show_on_front', 'page');
        update_option('permalink_structure', '/%postname%/');
        $post('Guide', '${html('').replace('<h1></h1>', '')}');
        flush_rewrite_rules();`,
      'render.php': `<?php
        $_SERVER['REQUEST_URI'] = $argv[1];
        require 'start.php';
        ob_start(fn ($html) => str_replace('http://vesper.example', '', $html));
        define('WP_USE_THEMES', true);
        require 'wp-blog-header.php';`,
      'render.sh': RENDER,
    },
    recipe: [
      [
        'wp-content/mu-plugins/placard.php',
        blockAfter('docs/sites.md', '`wp-content/mu-plugins/placard.php`'),
      ],
    ],
    build: ['sh', 'render.sh'],
    needs: ['php', 'unzip'],
    output: 'out',
    loads: true,
  },
  {
    name: 'Astro',
    packages: ['astro@7.3.5'],
    files: {
      'src/layouts/Layout.astro': `---
import { ClientRouter } from 'astro:transitions'
---
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Vesper</title>
    <ClientRouter /><script is:inline>${TOGGLE}</script><style is:global>${CHROME}</style>
  </head>
  <body>
    ${chrome()}<main><slot /></main>
  </body>
</html>`,
      'src/pages/index.astro': `---\nimport Layout from '../layouts/Layout.astro'\n---\n<Layout>${html('Vesper')}</Layout>`,
      'src/pages/guide.astro': `---\nimport Layout from '../layouts/Layout.astro'\n---\n<Layout>${html('Guide')}</Layout>`,
    },
    recipe: [['src/layouts/Layout.astro', blockAfter('docs/sites.md', '## Astro'), '<body>']],
    build: ['astro', 'build'],
    output: 'dist',
    dark: '#dark',
  },
  {
    name: 'Next.js',
    packages: ['next@16.4.5', ...REACT],
    files: {
      'next.config.mjs': `export default { output: 'export' }`,
      'app/globals.css': CHROME,
      'app/layout.jsx': `import Link from 'next/link'
        import './globals.css'
        export const metadata = { title: 'Vesper' }
        export default ({ children }) => <html lang="en">
          <body>
            ${chrome('<Link href="/guide">Guide</Link>')}
            <main>{children}</main>
            <script dangerouslySetInnerHTML={{ __html: ${JSON.stringify(TOGGLE)} }} />
          </body>
        </html>`,
      'app/page.jsx': `export default () => <div dangerouslySetInnerHTML={{ __html: ${JSON.stringify(html('Vesper'))} }} />`,
      'app/guide/page.jsx': `export default () => <div dangerouslySetInnerHTML={{ __html: ${JSON.stringify(html('Guide'))} }} />`,
    },
    recipe: [
      ['app/layout.jsx', blockAfter('docs/sites.md', '## Next.js'), '<body>'],
      ['app/globals.css', blockAfter('docs/sites.md', '## The space'), ''],
    ],
    build: ['next', 'build'],
    output: 'out',
    dark: '#dark',
  },
  {
    name: 'Nuxt',
    // Nuxt 4.5.2 can't build even an empty project with Vite 8.4, which npm would install.
    packages: ['nuxt@4.5.2', 'vite@8.3.8'],
    files: {
      'nuxt.config.ts': `export default defineNuxtConfig({
          css: ['~/assets/site.css'],
          telemetry: false,
        })`,
      'app/assets/site.css': CHROME,
      'app/app.vue': `<script setup>
useHead({ htmlAttrs: { lang: 'en' }, title: 'Vesper', script: [{ innerHTML: ${JSON.stringify(TOGGLE)} }] })
</script>
<template>
  ${chrome('<NuxtLink to="/guide">Guide</NuxtLink>')}
  <main><NuxtPage /></main>
</template>`,
      'app/pages/index.vue': `<template><article>${html('Vesper')}</article></template>`,
      'app/pages/guide.vue': `<template><article>${html('Guide')}</article></template>`,
    },
    recipe: [
      ['app/app.vue', blockAfter('docs/sites.md', '`app/app.vue`'), '<template>'],
      ['app/assets/site.css', blockAfter('docs/sites.md', '## The space'), ''],
      ['nuxt.config.ts', blockAfter('docs/sites.md', '`nuxt.config.ts`'), 'defineNuxtConfig({'],
    ],
    build: ['nuxt', 'generate'],
    output: '.output/public',
    dark: '#dark',
  },
  {
    name: 'SvelteKit',
    packages: [
      ...['@sveltejs/kit@3.2.0', '@sveltejs/adapter-static@4.0.1'],
      ...['@sveltejs/vite-plugin-svelte@7.3.1', 'svelte@5.57.3', 'vite@8.3.8'],
    ],
    files: {
      'vite.config.mjs': `import adapter from '@sveltejs/adapter-static'
        import { sveltekit } from '@sveltejs/kit/vite'
        export default { plugins: [sveltekit({ adapter: adapter() })] }`,
      'src/app.html': shell(
        '<div style="display: contents">%sveltekit.body%</div>',
        '%sveltekit.head%',
      ),
      'src/routes/+layout.js': 'export const prerender = true\n',
      'src/routes/+layout.svelte': `<script>let { children } = $props()</script>\n${chrome()}\n<main>{@render children()}</main>`,
      'src/routes/+page.svelte': html('Vesper'),
      'src/routes/guide/+page.svelte': html('Guide'),
    },
    recipe: [['src/app.html', blockAfter('docs/sites.md', '## SvelteKit'), '<body>']],
    build: ['vite', 'build'],
    output: 'build',
    dark: '#dark',
  },
  {
    name: 'Vite and React',
    packages: ['vite@8.3.8', '@vitejs/plugin-react@6.3.0', 'react-router@8.5.1', ...REACT],
    files: {
      'vite.config.mjs': `import react from '@vitejs/plugin-react'
        export default { plugins: [react()] }`,
      'index.html': shell('<div id="root"></div><script type="module" src="/main.jsx"></script>'),
      'main.jsx': `import { createRoot } from 'react-dom/client'
        import { BrowserRouter, Link, Route, Routes } from 'react-router'
        const arrive = () => document.getElementById(location.hash.slice(1))?.scrollIntoView()
        const page = (html) => <main ref={arrive} dangerouslySetInnerHTML={{ __html: html }} />
        createRoot(document.getElementById('root')).render(<BrowserRouter>
          ${chrome('<Link to="/guide">Guide</Link>')}
          <Routes>
            <Route path="/" element={page(${JSON.stringify(html('Vesper'))})} />
            <Route path="/guide" element={page(${JSON.stringify(html('Guide'))})} />
          </Routes>
        </BrowserRouter>)`,
    },
    recipe: [['index.html', blockAfter('docs/sites.md', '## Vite and React'), '<body>']],
    build: ['vite', 'build'],
    output: 'dist',
    dark: '#dark',
  },
]
