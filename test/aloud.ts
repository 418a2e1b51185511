import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'vitest'

/** What a machine may lack, and the Debian packages that have it. docs/testing.md installs all of them. */
export const PARTS = {
  'Apache and Linux': ['apache2'],
  'Caddy and Linux': ['caddy'],
  Firefox: ['firefox-esr'],
  'HAProxy and Linux': ['haproxy'],
  IPv6: [],
  Linux: [],
  'Material for MkDocs': ['mkdocs-material'],
  'mounts of its own (unshare, and the right to mount)': ['util-linux'],
  'nginx and Linux': ['nginx'],
  'a Node older than 24': ['nodejs'],
  'PHP with SQLite, and unzip': ['php-cli', 'php-sqlite3', 'unzip'],
  'pg_dump, and a Postgres of its version': ['postgresql'],
  PgBouncer: ['pgbouncer'],
  'prlimit on Linux': ['util-linux'],
  'Prometheus and promtool': ['prometheus'],
  'strace, and the right to trace': ['strace'],
  'systemd-analyze': ['systemd'],
  'a terminal of its own (script)': ['bsdutils'],
  Varnish: ['varnish'],
  'WebKitGTK, and a display that nobody sees': ['webkit2gtk-driver', 'xvfb'],
} as const satisfies Record<string, readonly string[]>

export type Part = keyof typeof PARTS

/** Whether one of these programs is not on the PATH. */
export function lacks(...programs: string[]): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const isThere = (program: string) => folders.some((it) => existsSync(join(it, program)))
  return !programs.every(isThere)
}

/**
 * Skips a test if the machine lacks what it needs, and says so where nobody can overlook it.
 *
 * @throws instead, with `REAL=1` in the environment, which `npm run proofs` sets
 */
export function skipAloud({ skip, task }: TestContext, lacking: boolean, part: Part): void {
  if (!lacking) return
  const packages = PARTS[part].join(' ')
  const need = packages ? `${part} (in Debian: apt-get install ${packages})` : part
  if (process.env.REAL === '1') throw new Error(`Nothing is skipped here. Install ${need}`)
  process.stderr.write(`\nskipped, because it needs ${need}: ${task.name}\n`)
  skip(`needs ${need}`)
}
