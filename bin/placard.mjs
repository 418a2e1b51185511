#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const cli = new URL('../dist/cli.js', import.meta.url)
const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

// Compiled code is kept where that can be written, so the next start takes 30 ms less.
module.enableCompileCache?.(
  fileURLToPath(new URL('../node_modules/.cache/placard', import.meta.url)),
)

// Node would open its inspector at the first of them, and end at the second.
for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => {})

if (!existsSync(cli)) fail('not built yet. Run: npm run build')
else if (Number.parseInt(process.versions.node, 10) >= 24) await import(cli.href)
else if (existsSync(pinned)) runOn(pinned)
else fail(`needs Node 24 or newer (this is ${process.versions.node})`)

/** In a checkout, the Node that the project pins runs this instead of an older one. */
function runOn(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // At once, because a signal that comes again while Node takes itself down would end it with another code.
  child.on('exit', (code) => process.exit(code ?? 1))
}

function fail(message) {
  console.error(`placard: ${message}`)
  process.exitCode = 1
}
