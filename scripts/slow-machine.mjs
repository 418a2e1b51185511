/**
 * `npm run proofs slow-machine`: runs `npm test` on one core, beside two loops that keep that core busy. With names of
 * test files after it, it runs only those files.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The loop ends with its parent process, even if the parent is killed. */
const LOOP = `while (process.ppid === ${process.pid});`
const onOneCore = (command, args, stdio) =>
  spawn('taskset', ['-c', '0', command, ...args], { stdio })

const loops = [1, 2].map(() => onOneCore('node', ['--eval', LOOP], 'inherit'))
const tests = onOneCore('node', ['scripts/test.mjs', ...process.argv.slice(2)], 'inherit')
const missing = 'taskset doesn’t run here; it is in Debian’s package util-linux'
for (const child of [...loops, tests]) child.on('error', () => console.error(missing))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => tests.kill(signal))
const [status] = await once(tests, 'exit').catch(() => [1])
for (const loop of loops) loop.kill()
process.exitCode = status ?? 1
