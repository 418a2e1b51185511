/** The log, for details that clients must not see. A pino logger implements this interface. */
export interface Log {
  /** Logs a normal event: a write, or a rejected request. */
  info(fields: object, message: string): void
  /** Logs something that a person should look at, although the service works. */
  warn(fields: object, message: string): void
  /** Logs a failure: a 5xx, or a bug in the service. */
  error(fields: object, message: string): void
}

export const silent: Log = { info() {}, warn() {}, error() {} }

/**
 * Wraps a log so that the log's own errors are dropped, because there is nowhere else to report them.
 *
 * @param clean prepares the fields of each line
 */
export function unfailing(log: Log, clean = (fields: object) => fields): Log {
  const at = (level: keyof Log) => (fields: object, message: string) =>
    callBack(
      () => log[level](clean(fields), message),
      () => {},
    )
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Returns the message of the innermost cause, which describes what really happened. */
export function rootCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return rootCause(error.cause)
  // If a host has several addresses and none answers, the error has no message.
  return error.message || String('code' in error ? error.code : error.name)
}

/**
 * Describes an error and its causes in fields for the log, without the stack if the error is temporary. Only fields
 * that explain the error are copied, because libraries attach requests, headers and secrets to their errors (contract
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

/**
 * Creates a function that removes secrets from text. A driver's or a library's error may quote one (contract R6). The
 * longest secret is replaced first, because one secret may begin with another.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}

/** Like {@link unfailing}, but also removes secrets from every field. */
export function redactingLog(log: Log, redact: (text: string) => string): Log {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, clean(field)]))
  }
  return unfailing(log, (fields) => clean(fields) as object)
}

/**
 * Calls a function that the host passed. If the function throws or rejects, only `failed` gets the error. Uncaught, the
 * error would fail the write that called the function, or crash the process.
 */
export function callBack(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = work()
    if (result instanceof Promise) result.catch(failed)
  } catch (error) {
    failed(error)
  }
}
