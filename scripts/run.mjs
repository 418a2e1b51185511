/**
 * Installs and builds what is missing, then runs a command: `node scripts/run.mjs vitest run`. It looks up the
 * command only after the installation, which may include the Node that the command runs on. The script itself runs on
 * the machine's own Node.
 */
import { spawn } from 'node:child_process'
import './setup.mjs'

const [command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', ({ message }) => {
  console.error(message)
  process.exitCode = 1
})
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
