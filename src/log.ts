import { callBack } from './callback.ts'

/** Where the core reports what no client is told; a pino logger is one. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silent: Log = { info() {}, warn() {}, error() {} }

/** The same log, except that what it throws harms nobody: there is no other place to report that in. */
export function unfailing(log: Log): Log {
  const at = (level: keyof Log) => (fields: object, message: string) =>
    callBack(
      () => log[level](fields, message),
      () => {},
    )
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/**
 * An error as fields for the log, its causes included.
 *
 * Picks what explains and nothing else: libraries hang requests, headers and secrets on their errors
 * (contract R6).
 */
export function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return {
    type: name,
    message,
    ...('code' in error && { code: error.code }),
    stack,
    ...(cause !== undefined && depth < 3 && { cause: describeError(cause, depth + 1) }),
  }
}
