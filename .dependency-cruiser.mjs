/** Who may import whom: docs/decisions/0001 says why. Each rule names a room and what it may reach. */

/** @param {string} name @param {string} from @param {string} may */
const room = (name, from, may) => ({
  name,
  severity: 'error',
  from: { path: `^src/${from}` },
  to: { path: '^src/', pathNot: `^src/(${may})` },
})

const CORE =
  'announcement|board|callback|facts|history|language|load-once|checksum|schema|problem|clock|log|secrets|limiter/limiter'

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
    room('announcement-imports-nothing', 'announcement', 'announcement'),
    room('checksum-imports-nothing', 'checksum', 'checksum'),
    room('board', 'board', 'announcement|board'),
    room('language-imports-nothing', 'language', 'language'),
    room('facts-import-nothing', 'facts', 'facts'),
    room('limiter', 'limiter/', 'problem|limiter/'),
    room(
      'store',
      'store/',
      'announcement|board|checksum|clock|history|limiter/limiter|load-once|log|store/',
    ),
    room('stripe', 'stripe/', `${CORE}|store/store|stripe/`),
    room('showing', 'showing/', `${CORE}|store/store|showing/`),
    room('commands', 'commands', `${CORE}|store/store|showing/`),
    room('offers', 'offers/', `${CORE}|store/store|commands|stripe/|offers/`),
    room('openapi', 'openapi/', 'announcement|facts|history|schema|openapi/'),
    room(
      'http',
      'http/',
      `${CORE}|limiter/|store/store|showing/|commands|stripe/|offers/|openapi/document|http/`,
    ),
    room(
      'placard',
      'placard',
      `${CORE}|limiter/|conceal|internals|store/store|placard-options|showing/|commands|http/|timekeeper|offers/|stripe/client`,
    ),
    room('bar', 'bar/', 'announcement|checksum|language|bar/'),
    room('browser', 'browser/', 'announcement|checksum|language|bar/dismissal|browser/'),
    room('ask', 'ask', 'ask'),
    room('shell-command-imports-nothing', 'shell-command', 'shell-command'),
    room('conceal', 'conceal', 'log'),
    room('client', 'client', 'announcement|ask|history'),
    room(
      'page',
      'page/',
      `${CORE}|showing/|bar/|http/(accept-language|answer|event-resource|site)|page/`,
    ),
    room(
      'next',
      'next',
      `${CORE}|placard|internals|commands|public-types|bar/icon|browser/(follow|listen)|next`,
    ),
    room(
      'server',
      'server/',
      `${CORE}|placard|internals|commands|offers/report|showing/|store/|http/|page/|bar/icon|admin/admin|server/`,
    ),
    room(
      'admin',
      'admin/',
      `${CORE}|store/store|http/|placard|public-types|internals|client|time-error|times|shell-command|bar/|admin/`,
    ),
    room('internals', 'internals', `${CORE}|store/store|http/|offers/`),
    room('times', 'times', 'time-error|times'),
    room(
      'cli',
      'cli/',
      'announcement|facts|history|secrets|log|conceal|ask|client|time-error|times|shell-command|stripe/(simulate|notification-types)|server/|cli/',
    ),
    {
      name: 'index-runs-anywhere',
      comment: 'What `import "placard"` reaches must run on any fetch runtime',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: {
        reachable: true,
        path: '^src/(server|cli|page|bar|browser)/|^src/store/(sqlite|postgres)|node_modules/(react|pg|pino|@hono)/|^node:',
      },
    },
    {
      name: 'html-needs-no-react',
      comment: 'Whoever imports placard/html may not have React',
      severity: 'error',
      from: { path: '^src/html\\.ts$' },
      to: { reachable: true, path: 'node_modules/react|^node:' },
    },
    {
      name: 'imports-are-installed',
      comment:
        'What apps import keeps its imports, so npm has to install them; the rest is bundled',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(server|cli|browser)/' },
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
