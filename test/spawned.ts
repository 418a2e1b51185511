import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process, its end, and everything that it has written to its outputs. */
export function spawned(command: string, args: string[], options: SpawnOptions = {}) {
  const child = spawn(command, args, options)
  let written = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', (text) => {
      written += text
    })
  }
  return { child, ended: once(child, 'exit'), written: () => written }
}
