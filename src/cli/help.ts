import { urlOption } from '../core/shell-command.ts'
import { optionLines, settingLines } from './options.ts'

/** Commands that work on the service's machine, and take no `--url`. */
const LOCAL = ['serve', 'migrate', 'backup', 'restore']

export const OVERVIEW = `placard: one announcement, shown everywhere, the moment it changes.

  placard serve                       run the service
  placard open                        print a link that opens the admin
  placard migrate                     bring the database up to date
  placard backup FILE                 copy the database while the service runs
  placard restore FILE                put a copy in the place of the database
  placard publish TEXT                publish an announcement
  placard edit ID [TEXT]              change a published or scheduled announcement
  placard current                     show the current announcement
  placard list                        list the slot of each type, and what comes next
  placard withdraw                    take an announcement down
  placard history                     list who changed what, and when
  placard undo [ENTRY]                undo a change
  placard simulate coupon.created     send a signed Stripe notification
  placard doctor                      find out what is wrong with a service, and what to do

  placard help COMMAND                options and examples

Each command takes --json for programs. All but ${LOCAL.join(', ')} take
--url for a service elsewhere (default: this machine, at PORT). Secrets come from EVENT_API_SECRET and
STRIPE_WEBHOOK_SECRET, the file .env, or the file the service made.`

const HELP: Record<string, string> = {
  serve: `placard serve

Serves the page, the API, notifications and the stream on one port until Ctrl-C.
Settings are environment variables, or lines in the file .env:

{settings}

Examples
  placard serve
  PORT=8080 DATABASE_URL=file:/var/lib/placard/placard.db placard serve`,

  open: `placard open [--for NAME] [--path PATH]

Prints a link that opens the admin. It works once, for ten minutes.

{options}

Examples
  placard open
  placard open --for Anna --url https://placard.example`,

  migrate: `placard migrate

Brings the tables of the database up to date and exits, as a step of a deployment. The
service does the same when it starts. Reads one setting:

  DATABASE_URL             file:data/placard.db, or postgres://…

Examples
  placard migrate
  DATABASE_URL=postgres://placard:…@db.internal/placard placard migrate`,

  backup: `placard backup FILE [--force]

Copies the SQLite database of a running service, and checks the copy, which has no sessions
of the admin and no secrets. FILE appears once it is complete, and only you can read it.
With Postgres, use pg_dump. Reads one setting:

  DATABASE_URL             file:data/placard.db

{options}

Examples
  placard backup /var/backups/placard.db
  DATABASE_URL=file:/var/lib/placard/placard.db placard backup --force /var/backups/placard.db`,

  restore: `placard restore FILE

Puts a backup in the place of the database. Stop the service first. The backup is checked
and brought up to date before anything changes. The replaced database stays beside it, and
everybody is signed out of the admin. Reads one setting:

  DATABASE_URL             file:data/placard.db, or an empty postgres://…

Examples
  placard restore /var/backups/placard.db
  DATABASE_URL=postgres://placard:…@db.internal/placard placard restore /var/backups/placard.db`,

  publish: `placard publish TEXT [options]

{options}

A time is 2027-01-04, "2027-01-04 09:00", "tomorrow 9:00", "friday 9:00", or has an offset:
2027-01-04T09:00:00+01:00.

Examples
  placard publish "We wrote about caching" --type post --slug /blog/caching --icon newspaper
  placard publish "25% off until Monday" --type coupon --slug '#coupon' --until monday
  placard publish "Version 2 is here" --type product --slug /v2 \\
      --from "tomorrow 9:00" --for 3d --zone Europe/Berlin`,

  edit: `placard edit ID [TEXT] [options]

Changes the given fields of a published or scheduled announcement, and keeps the others. A
published one keeps its place and its coupon. placard list shows the ids. The edit is refused
if somebody else has changed the announcement meanwhile.

{options}

  --icon none     no icon
  --until none    no end
  --language none the text may be in any language

Examples
  placard list
  placard edit 6f0d51c4-7c02-4f5a-9c3b-8f3a4c9f3f11 "25% off until Tuesday" --until tuesday`,

  list: `placard list [options]

Shows the slot of each type, which of them shows and why, and the schedule.

{options}

Examples
  placard list
  placard list --json`,

  history: `placard history [options]

{options}

Examples
  placard history
  placard history --limit 100 --json`,

  undo: `placard undo [ENTRY] [options]

Restores the slot as it was before an entry of the history; without ENTRY, before the last.
An undo itself is undone only by its number, so repeating the command does no harm.

{options}

Examples
  placard undo
  placard undo 17`,

  current: `placard current [options]

{options}

Examples
  placard current
  placard current --json --url https://example.com`,

  withdraw: `placard withdraw --type TYPE | --id ID

{options}

Examples
  placard withdraw --type coupon
  placard withdraw --id 2b1d0c52-6c43-4d1f-9a86-0a3c9f7f6c11`,

  simulate: `placard simulate coupon.created|coupon.updated|coupon.deleted [options]

Sends a signed notification to the running service, as Stripe would.

{options}

Examples
  placard simulate coupon.created --name "Black Friday" --percent-off 25
  placard simulate coupon.created --amount-off 1000 --currency eur --redeem-by 2027-01-01T00:00:00Z
  placard simulate coupon.deleted`,

  doctor: `placard doctor [--site URL] [--json]

Checks a service without changing anything: its settings, its database, its clock, its proxies,
its connection to Stripe, and whether the announcement is the same from the
database to a browser. Each line is pass, warn, fail or skip, and each problem comes with what
to do. Run it in the folder and with the settings of the service. The exit code is 1 if a check
has failed.

{options}

Examples
  placard doctor
  placard doctor --json --site https://example.com`,
}

/**
 * The help of a command. Its examples reach the service at this address, wherever they are pasted.
 *
 * @param url the address that commands use by default
 */
export function helpFor(command: string, url: string): string {
  const help = (HELP[command] ?? '')
    .replace('{options}', () => optionLines(command))
    .replace('{settings}', settingLines)
  const [about = '', examples = ''] = help.split(/(?<=\nExamples\n)/)
  return (
    about +
    examples.replace(
      new RegExp(`^ {2}(?!.* --url )placard (?!${LOCAL.join('|')})\\w+`, 'gm'),
      `$&${urlOption(url)}`,
    )
  )
}
