import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterFile } from '../after-file.ts'
import { lacks } from '../aloud.ts'
import { until } from '../postgres/cluster.ts'
import { blockAfter } from '../printed.ts'
import { spawned } from '../spawned.ts'

export const varnishIsMissing = lacks('varnishd')

/** The token with which the guide's Varnish accepts a purge. */
export const PURGE_TOKEN = 'of-this-test'

export interface VarnishPlace {
  /** An empty directory. */
  directory: string
  port: number
  /** The ports of the nodes behind it. With two, the second gets the requests while the first doesn't respond. */
  nodes: readonly [number] | readonly [number, number]
  /** The command that starts it on a core of its own, if it needs one. */
  prefix?: readonly string[]
}

/** Starts the guide's Varnish. Only addresses and the token differ. Resolves with a function that stops it. */
export async function startVarnish({ directory, port, nodes, prefix = [] }: VarnishPlace) {
  const file = join(directory, 'placard.vcl')
  writeFileSync(file, configuration(nodes))
  const place = ['-F', '-j', 'none', '-n', directory, '-f', file, '-a', `127.0.0.1:${port}`]
  const [command = '', ...args] = [...prefix, 'varnishd', ...place, '-s', 'malloc,32m']
  const { child: varnish, ended, written } = spawned(command, args)
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(async () => varnish.exitCode !== null || (await answers()))
  if (varnish.exitCode !== null) throw new Error(`Varnish does not start:\n${written()}`)
  const stop = async () => {
    varnish.kill()
    await ended
  }
  afterFile(stop)
  return stop
}

function configuration([first, second]: VarnishPlace['nodes']): string {
  const one = blockAfter('docs/scaling.md', '### Varnish')
  const more = blockAfter('docs/scaling.md', 'If several nodes are behind Varnish')
  const vcl = second === undefined ? one : one.replace(/backend placard \{[^}]*\}/, more)
  return vcl
    .replace('"3000"', `"${first}"`)
    .replace('"10.0.0.2"', '"127.0.0.1"')
    .replace('"3000"', `"${second}"`)
    .replace('change-this-token', PURGE_TOKEN)
}
