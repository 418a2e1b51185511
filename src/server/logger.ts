import pino from 'pino'
import type { Config } from '../local/config.ts'

/** What `describeError` returns. */
interface LoggedError {
  type: string
  message: string
  code?: unknown
  cause?: LoggedError
}

/** Logs JSON lines for machines, or readable lines for a person at a terminal. */
export function createLogger(
  { logLevel, production }: Pick<Config, 'logLevel' | 'production'>,
  output: NodeJS.WriteStream = process.stdout,
): pino.Logger {
  const options = { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (production || !output.isTTY) return pino(options, output)
  return pino(options, { write: (line: string) => output.write(forPerson(line)) })
}

function forPerson(line: string): string {
  const {
    time,
    level,
    msg,
    error,
    method,
    route = '(no route)',
    status,
    ms,
    ...rest
  } = JSON.parse(line)
  const clock = new Date(time).toLocaleTimeString('en-GB')
  const { requestId, ...fields } = rest
  const details = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
  if (msg === 'request') {
    return `  ${clock}  ${method} ${route} → ${status} in ${ms} ms${details}\n`
  }
  const mark = level >= 50 ? '✗ ' : level >= 40 ? '! ' : ''
  const cause = error ? `\n           ${causeOf(error)}` : ''
  return `  ${clock}  ${mark}${msg}${details}${cause}\n`
}

/** Returns the message of the innermost cause, which is the actual failure. */
function causeOf({ type, message, code, cause }: LoggedError): string {
  // If a host has several addresses and none answers, the error has no message.
  return cause ? causeOf(cause) : message || String(code ?? type)
}
