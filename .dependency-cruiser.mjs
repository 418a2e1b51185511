/** Who may import whom: docs/decisions/0001 says why. Each rule names a layer and what it may reach. */

/** @param {string} name @param {string} from @param {string} may */
const layer = (name, from, may) => ({
  name,
  severity: 'error',
  from: { path: `^src/${from}` },
  to: { path: '^src/', pathNot: `^src/(${may})` },
})

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: 'log|clock|\\.d\\.ts$' },
      to: {},
    },
    // These import nothing, not even zod: most of them are shipped to pages, where each import costs every reader.
    ...['etag', 'language', 'problem', 'rules', 'shell-command'].map((file) => ({
      name: `${file}-imports-nothing`,
      severity: 'error',
      from: { path: `^src/core/${file}\\.ts$` },
      to: {},
    })),
    layer('checksum', 'core/checksum', 'core/rules'),
    layer('board', 'core/board', 'core/announcement'),
    layer('core', 'core/', 'core/'),
    layer('store', 'store/', 'core/|store/'),
    layer('stripe', 'stripe/', 'core/|store/store|commands|stripe/'),
    // Verifying, parsing and judging a notification is pure.
    ...['signature', 'notification', 'offer', 'metadata', 'intervals'].map((file) =>
      layer(
        `stripe-${file}`,
        `stripe/${file}\\.ts`,
        'core/|store/store|stripe/(notification|offer|metadata)',
      ),
    ),
    layer('times', 'times/', 'core/once|times/'),
    layer('showing', 'showing/', 'core/|store/store|showing/'),
    layer('commands', 'commands', 'core/|store/store|showing/'),
    layer('http', 'http/', 'core/|store/store|showing/|commands|stripe/|http/'),
    layer(
      'placard',
      'placard',
      'core/|store/store|internals|placard-options|showing/|commands|http/|timekeeper|stripe/(coupon-watcher|client|resume-without-key)',
    ),
    layer('bar', 'bar/', 'core/(checksum|language|rules|tree)|bar/'),
    layer(
      'browser',
      'browser/',
      'core/(checksum|language|rules|tree)|bar/(dismissal|shell)|browser/',
    ),
    layer('admin-browser', 'admin/browser/', 'core/rules|admin/browser/'),
    layer('client', 'client/', 'core/|client/'),
    layer(
      'page',
      'page/',
      'core/|showing/|bar/|http/(accept|headers|include-parameters|resource|site)|page/',
    ),
    layer('next', 'next/', 'core/|placard|internals|bar/icon|browser/(follow|listen)|next/'),
    layer('local', 'local/', 'core/|store/|local/'),
    layer(
      'server',
      'server/',
      'core/|placard|internals|showing/|local/|http/|page/|bar/icon|admin/admin|server/',
    ),
    layer(
      'admin',
      'admin/',
      'core/|store/store|showing/snapshot|commands|http/|placard|internals|bar/|times/|admin/',
    ),
    layer(
      'admin-draft',
      'admin/draft/',
      'core/|times/|store/store|http/|bar/|admin/(visit|words|draft/)',
    ),
    layer(
      'admin-views',
      'admin/views/',
      'core/|times/|http/history|bar/|admin/(appearance|draft/|visit|words|views/)',
    ),
    layer(
      'admin-facts',
      'admin/(appearance|visit|words)',
      'core/|times/|http/|admin/(appearance|words)',
    ),
    layer('internals', 'internals', 'http/'),
    layer('cli-service', 'cli/service/', 'core/|client/|cli/(service/|usage)'),
    layer(
      'cli-doctor',
      'cli/doctor/',
      'core/|client/|stripe/notification-types|local/|cli/(service|doctor)/',
    ),
    layer(
      'cli',
      'cli/',
      'core/|client/|stripe/(simulate|notification-types)|local/|server/(logger|serve)|times/|cli/',
    ),
    {
      name: 'nobody-imports-an-entry',
      comment: 'They are what others import',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/entries/' },
      to: { path: '^src/entries/' },
    },
    {
      name: 'index-runs-anywhere',
      comment: 'What `import "placard"` reaches must run on any fetch runtime',
      severity: 'error',
      from: { path: '^src/entries/index\\.ts$' },
      to: {
        reachable: true,
        path: '^src/(server|local|cli|page|bar|browser)/|^src/store/(sqlite|postgres)|node_modules/(react|pg|pino|@hono)/|^node:',
      },
    },
    {
      name: 'html-needs-no-react',
      comment: 'A project that imports placard/html may not have React',
      severity: 'error',
      from: { path: '^src/entries/html\\.ts$' },
      to: { reachable: true, path: 'node_modules/react|^node:' },
    },
    {
      name: 'imports-are-installed',
      comment:
        'What apps import keeps its imports, so npm has to install them; the rest is bundled',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(server|cli|browser|admin/browser)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer', 'type-only'] },
    },
    {
      name: 'drivers-stay-in-the-store',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/store/' },
      to: { path: 'node_modules/pg/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
    builtInModules: { override: undefined },
  },
}
