import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  pid: number
  parent: number
  command: string
}

/** Every process of this machine that has not ended: from `/proc`, or from `ps` where there is none (macOS). */
export function processes(): Process[] {
  return (process.platform === 'linux' ? fromProc() : fromPs())
    .filter(({ state }) => !state.startsWith('Z'))
    .map(({ pid, parent, command }) => ({ pid, parent, command }))
}

function fromProc() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return { pid: Number(name), parent: Number(parent), state, command }
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

function fromPs() {
  const lines = execFileSync('ps', ['-Ao', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
  return [...lines.matchAll(/^ *(\d+) +(\d+) +(\S+) +(.*)$/gm)].map(
    ([, pid, parent, state = '', command = '']) => ({
      ...{ pid: Number(pid), parent: Number(parent) },
      ...{ state, command },
    }),
  )
}
