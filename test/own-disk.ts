import { spawnSync } from 'node:child_process'

/** The program that gives a command mounts of its own, if this user may do that. */
const alone = ['unshare --mount', 'unshare --map-root-user --mount']
  .map((words) => words.split(' '))
  .find(([command = '', ...words]) => {
    const trial = [...words, 'sh', '-c', 'mount -t tmpfs none /tmp']
    return spawnSync(command, trial).status === 0
  })

/** Runs a command in a folder that is a disk of this size, if this user may do that. */
export function ownDisk(size: string): string[] | undefined {
  const mount = `mount -t tmpfs -o size=${size} none "$PWD" && cd "$PWD" && exec "$@"`
  return alone && [...alone, 'sh', '-c', mount, 'sh']
}
