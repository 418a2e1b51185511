import { runCommand } from './command.ts'

// Without an error listener, a closed or full output would end the process. A service should run even if it can't log.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
const code = await runCommand(process.argv.slice(2))
if (code !== 0) process.exitCode = code
