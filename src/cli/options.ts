/** The options of each command besides `--json` and `--url`, for both parsing and help. */

const text = (help: string) => ({ type: 'string', help }) as const
const flag = (help: string) => ({ type: 'boolean', help }) as const
const several = (help: string) => ({ type: 'string', multiple: true, help }) as const

const zone = text("the time zone, e.g. Europe/Berlin (default: this machine's)")
const as = text('your name, for the history')

const draft = {
  type: text('post, coupon or product'),
  slug: text('where the announcement links to: /blog/x, #coupon, https://…'),
  icon: text('a Lucide icon, e.g. newspaper'),
  from: text('when it starts; a time in the future schedules it'),
  until: text('when it ends; a day without a time means the end of that day'),
  for: text('how long it lasts: 90m, 12h, 3d, 1w, 45s'),
  zone,
  translation: several('the text in another language, e.g. de="Neu im Blog"; can be repeated'),
  'slug-for': several("the link for a language's readers, e.g. de=/de/aktion; can be repeated"),
  language: text('the language of the text and link themselves, e.g. en'),
  as,
} as const

export const OPTIONS = {
  serve: {},
  open: {
    for: text("the person's name, for the history"),
    path: text('the path of the admin, if an app mounts it elsewhere (default: /admin)'),
  },
  migrate: {},
  backup: { force: flag('replace FILE if it exists') },
  restore: {},
  publish: {
    ...draft,
    type: { ...draft.type, default: 'post' },
    slug: { ...draft.slug, default: '/' },
  },
  edit: { ...draft, type: text('post, coupon or product; only for a scheduled announcement') },
  current: { zone },
  list: { zone },
  history: {
    limit: text('how many entries (default: 20)'),
    before: text('only entries older than the one with this number'),
    zone,
  },
  undo: { as, zone },
  withdraw: {
    type: text('take down the published announcement of this type: post, coupon or product'),
    id: text('take down the announcement with this id, published or scheduled'),
    as,
  },
  simulate: {
    name: text("the coupon's name"),
    'percent-off': text('e.g. 12.5 (default without --amount-off: 25)'),
    'amount-off': text("in the currency's smallest unit, e.g. 1000"),
    currency: text('e.g. eur (default: usd)'),
    'redeem-by': text('when the coupon expires: 2027-01-01T00:00:00Z, or seconds since 1970'),
    'not-featured': flag('leave out the metadata isFeatured=true'),
    'not-valid': flag('mark the coupon as no longer redeemable'),
    metadata: several(
      "an entry of the coupon's metadata, e.g. placard_text='Buy two'; can be repeated",
    ),
    coupon: text("the coupon's id (default: a new one)"),
    id: text(
      "the notification's id, to send the same one again; Placard adds the prefix\n" +
        "evt_placard_, so the id can't be mistaken for one of Stripe's",
    ),
  },
  doctor: { site: several('a page that should have the bar; can be repeated') },
} as const

export type CommandName = keyof typeof OPTIONS

/** The commands that run on the service's machine and so take no `--url`, each with the settings that it reads. */
export const LOCAL: Readonly<Record<string, string>> = {
  serve: 'HOST, PORT and PUBLIC_URL',
  migrate: 'DATABASE_URL',
  backup: 'DATABASE_URL',
  restore: 'DATABASE_URL',
}

/** The settings of `placard serve`, from the environment or `.env`, with their defaults or a description. */
const SETTINGS = {
  'PORT, HOST': '3000, 127.0.0.1',
  DATABASE_URL: 'file:data/placard.db, or postgres://…',
  EVENT_API_SECRET: 'generated on first start; required in production and with Postgres',
  STRIPE_WEBHOOK_SECRET: "generated on first start; with Stripe, the destination's signing secret",
  STRIPE_API_KEY: 'a restricted key, to take down offers that the checkout refuses',
  STRIPE_API_URL: 'https://api.stripe.com; for tests, the address of a stand-in',
  PUBLIC_PAGE: 'on, or off to remove the page at /',
  PUBLIC_URL: 'the address at which people reach the service (http://localhost:PORT)',
  TRUST_PROXY: 'the number of proxies in front of the service (0)',
  MAX_STREAMS: 'the maximum number of open streams (10000)',
  LOG_LEVEL: 'info',
  LOCALES_DIR: 'the folder with your own locale files',
  'PURGE, PURGE_TOKEN': 'the cache in front of the service, purged on each change',
  NODE_ENV: 'production: prints only log lines, generates no secrets',
}

export const settingLines = () => table(Object.entries(SETTINGS), 25)

/** The options of a command, one per line. */
export function optionLines(command: string): string {
  const options: Record<string, { help: string; default?: string }> =
    OPTIONS[command as keyof typeof OPTIONS] ?? {}
  const rows = Object.entries(options).map(([name, { help, default: usual }]) => [
    `--${name}`,
    usual === undefined ? help : `${help} (default: ${usual})`,
  ])
  return table(rows, Math.max(...rows.map(([name = '']) => name.length)) + 2)
}

const table = (rows: string[][], width: number) =>
  rows
    .map(([name = '', help = '']) => {
      const lines = help.replaceAll('\n', `\n${' '.repeat(width + 2)}`)
      return `  ${name.padEnd(width)}${lines}`
    })
    .join('\n')
