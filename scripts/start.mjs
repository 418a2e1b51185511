/**
 * `npm start`: installs and builds what is missing, then serves, in the same process, so that a signal to npm reaches the
 * service. Runs on the machine's own Node.
 */
import { fileURLToPath } from 'node:url'
import './setup.mjs'

const placard = new URL('../bin/placard.mjs', import.meta.url)
process.argv = [process.execPath, fileURLToPath(placard), 'serve', ...process.argv.slice(2)]
await import(placard.href)
