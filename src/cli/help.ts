import { urlOption } from '../core/shell-command.ts'
import { type CommandName, LOCAL, optionLines, settingLines } from './options.ts'

interface Help {
  /** The command's positional arguments. */
  takes?: string
  /** A summary of at most half a line. */
  does: string
  about?: string
  examples: string
}

const HELP: Record<CommandName, Help> = {
  serve: {
    does: 'run the service',
    about: `Serves the page, the admin, the API, the webhook and the stream on one port, until Ctrl-C.
Settings are environment variables, or lines in the file .env:

${settingLines()}`,
    examples: `
  placard serve
  PORT=8080 DATABASE_URL=file:/var/lib/placard/placard.db placard serve`,
  },
  open: {
    does: 'print a link that opens the admin',
    about: 'Prints a sign-in link for the admin. The link works once, within ten minutes.',
    examples: `
  placard open
  placard open --for Anna --url https://placard.example`,
  },
  migrate: {
    does: 'bring the database up to date',
    about: `Brings the database's tables up to date and exits, for use as a deployment step. The service
does the same when it starts. Reads one setting:

  DATABASE_URL             file:data/placard.db, or postgres://…`,
    examples: `
  placard migrate
  DATABASE_URL=postgres://placard:…@db.internal/placard placard migrate`,
  },
  backup: {
    takes: 'FILE',
    does: 'copy the database while the service runs',
    about: `Copies the SQLite database, even while the service runs, and checks the copy. The copy contains no
admin sessions and no secrets. FILE appears once the copy is complete, and only you can read it.
With Postgres, use pg_dump. Reads one setting:

  DATABASE_URL             file:data/placard.db`,
    examples: `
  placard backup /var/backups/placard.db
  DATABASE_URL=file:/var/lib/placard/placard.db placard backup --force /var/backups/placard.db`,
  },
  restore: {
    takes: 'FILE',
    does: 'replace the database with a backup',
    about: `Replaces the database with a backup. Stop the service first. The command changes nothing until
it has checked the backup and migrated a copy. It keeps the old database beside the new one and
signs everybody out of the admin. With Postgres, the database must be empty. Reads one setting:

  DATABASE_URL             file:data/placard.db, or postgres://… (an empty database)`,
    examples: `
  placard restore /var/backups/placard.db
  DATABASE_URL=postgres://placard:…@db.internal/placard placard restore /var/backups/placard.db`,
  },
  publish: {
    takes: 'TEXT',
    does: 'publish an announcement',
    about: `Write a time as 2027-01-04, "2027-01-04 09:00", "tomorrow 9:00", "friday 9:00", or in the API's
formats: 2027-01-04T09:00:00+01:00, or milliseconds since 1970.`,
    examples: `
  placard publish "We wrote about caching" --type post --slug /blog/caching --icon newspaper
  placard publish "25% off until Monday" --type coupon --slug '#coupon' --until monday
  placard publish "Version 2 is here" --type product --slug /v2 \\
      --from "tomorrow 9:00" --for 3d --zone Europe/Berlin
  placard publish "Sale" --slug /en/sale --translation de="Aktion" --slug-for de=/de/aktion`,
  },
  edit: {
    takes: 'ID [TEXT]',
    does: 'change a published or scheduled announcement',
    about: `Changes only the given fields, translations and links. The value none for --icon, --until or
--language removes that field; --translation de=none removes a translation, and --slug-for de=none
a language's link. A published announcement keeps its timestamp and its coupon. placard list shows
the ids. The edit fails if somebody else changes the announcement at the same time.`,
    examples: `
  placard list
  placard edit 6f0d51c4-7c02-4f5a-9c3b-8f3a4c9f3f11 "25% off until Tuesday" --until tuesday
  placard edit 6f0d51c4-7c02-4f5a-9c3b-8f3a4c9f3f11 --translation de="Bis Dienstag"`,
  },
  current: {
    does: 'show the current announcement',
    examples: `
  placard current
  placard current --json --url https://example.com`,
  },
  list: {
    does: 'list published and scheduled announcements',
    about: 'Shows the announcement of each type, which one is live and why, and what is scheduled.',
    examples: `
  placard list
  placard list --json`,
  },
  withdraw: {
    takes: '--type TYPE | --id ID',
    does: 'take an announcement down',
    about: `Takes an announcement down, or out of the schedule, and prints what visitors see now. The exit code
is 1 if no announcement has the id. To bring the announcement back: placard undo.`,
    examples: `
  placard withdraw --type coupon
  placard withdraw --id 2b1d0c52-6c43-4d1f-9a86-0a3c9f7f6c11`,
  },
  history: {
    does: 'list who changed what, and when',
    examples: `
  placard history
  placard history --limit 100 --json`,
  },
  undo: {
    takes: '[ENTRY]',
    does: 'undo a change',
    about: `Undoes the change in a history entry. Without ENTRY, it undoes the last change that isn't itself an
undo, so repeating the command doesn't undo the undo. To undo an undo, give its number. It prints
the new entries of the history, and what visitors see now.`,
    examples: `
  placard undo
  placard undo 17`,
  },
  simulate: {
    takes: 'coupon.created',
    does: 'send a signed Stripe notification',
    about: `Sends a signed notification to the running service, as Stripe would: coupon.created,
coupon.updated or coupon.deleted.`,
    examples: `
  placard simulate coupon.created --name "Black Friday" --percent-off 25
  placard simulate coupon.created --amount-off 1000 --currency eur --redeem-by 2027-01-01T00:00:00Z
  placard simulate coupon.created --name SUMMER --metadata placard_text="Summer sale" \\
      --metadata placard_link=/summer --metadata placard_icon=sun
  placard simulate coupon.deleted`,
  },
  doctor: {
    does: 'find problems with a service, and their fixes',
    about: `Checks a service and changes nothing. The checks cover the settings, the database, the clock, the
proxies, the connection to Stripe, and whether browsers get the announcement that the database
holds. Each check reports pass, warn, fail or skip, and each problem comes with a fix. Run the
command in the service's folder and with the service's settings. The exit code is 1 if a check
failed.`,
    examples: `
  placard doctor
  placard doctor --json --site https://example.com`,
  },
}

const call = (name: string, { takes = '' }: Help) => `placard ${name} ${takes}`.trim()

const here = Object.keys(LOCAL)

/** Wide enough for the longest call. */
const COLUMN = Math.max(...Object.entries(HELP).map(([name, help]) => call(name, help).length)) + 2

const rows = (all: readonly (readonly [string, string])[]) =>
  all.map(([left, right]) => `  ${left.padEnd(COLUMN)}${right}`).join('\n')

export const OVERVIEW = `placard: one announcement, shown everywhere the moment it changes.

${rows(Object.entries(HELP).map(([name, help]) => [call(name, help), help.does]))}

${rows([['placard help COMMAND', 'options and examples']])}

Every command accepts --json for JSON output. All but ${here.slice(0, -1).join(', ')} and ${here.at(-1)} accept
--url, to reach a service elsewhere (default: this machine, at HOST and PORT). Secrets come from
EVENT_API_SECRET and STRIPE_WEBHOOK_SECRET, the file .env, or the files that the service created.`

/**
 * Returns the help for a command, with examples that work in any folder: they include `--url` if that is necessary.
 *
 * @param url the address that commands use by default
 */
export function helpFor(name: CommandName, url: string): string {
  const help = HELP[name]
  const options = optionLines(name)
  const elsewhere = name in LOCAL ? '' : urlOption(url)
  const examples = help.examples.replace(/^ {2}(?!.* --url )placard \w+/gm, `$&${elsewhere}`)
  const usage = `${call(name, help)}${options ? ' [options]' : ''}`
  const about = help.about ?? `${help.does[0]?.toUpperCase()}${help.does.slice(1)}.`
  return [usage, about, options, `Examples${examples}`].filter((part) => part !== '').join('\n\n')
}
