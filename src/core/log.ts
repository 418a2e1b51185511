import { callBack } from './callback.ts'

/** Where the core reports what clients must not see. A pino logger fits. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silent: Log = { info() {}, warn() {}, error() {} }

/** The same log, except that its own errors are dropped, because there is nowhere else to report them. */
export function unfailing(log: Log): Log {
  const at = (level: keyof Log) => (fields: object, message: string) =>
    callBack(
      () => log[level](fields, message),
      () => {},
    )
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** The message of the innermost cause, which says what really happened. */
export function rootCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return rootCause(error.cause)
  // If a host has several addresses and none answers, the error has no message.
  return error.message || String('code' in error ? error.code : error.name)
}

/**
 * An error as fields for the log, with its causes. An error that passes by itself is logged without its stack.
 *
 * Only explanatory fields are logged, because libraries attach requests, headers and secrets to their errors (contract
 * R6).
 */
export function describeError(error: unknown, depth = 0, passes = false): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  const isPassing =
    passes || name === 'StoreUnavailable' || code === 'unavailable' || code === 'not_purged'
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    ...(!isPassing && { stack }),
    ...(cause !== undefined && depth < 3 && { cause: describeError(cause, depth + 1, isPassing) }),
  }
}
