/**
 * `npm start`: installs and builds what is missing, then runs the service in the same process, so that a signal to npm
 * reaches the service. It runs on the machine's own Node.
 */
import { fileURLToPath } from 'node:url'
import './setup.mjs'

const placard = new URL('../bin/placard.mjs', import.meta.url)
process.argv = [process.execPath, fileURLToPath(placard), 'serve', ...process.argv.slice(2)]
await import(placard.href)
