/** The status of each problem, by its code. */
const STATUS = {
  invalid_request: 400,
  invalid_body: 400,
  invalid_signature: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  /** The change is stored and shows, but a cache may still hold the response from before the change. */
  not_purged: 503,
} as const

/** The stable code of a problem, by which a program can tell problems apart (contract R6). */
export type ProblemCode = keyof typeof STATUS

/** One fault in a request body, or one warning: where it is, and what to do about it (contract A11, A16). */
export interface Issue {
  /** The field with the fault, such as `text` or `translations.de`; empty for the whole body. */
  path: string
  /** The key of the issue's message in `locales/messages/`. The key stays the same when the message is reworded. */
  code: string
  /** The message in English. */
  message: string
  /** The values that were filled into `message`. */
  params?: Readonly<Record<string, string | number>>
}

/** Global symbols, so that two copies of this file in one bundle recognise each other's errors. */
const MARK = Symbol.for('placard.problem')
const UNAVAILABLE = Symbol.for('placard.unavailable')

/**
 * The database rejected a statement or can't be reached; `cause` is the driver's error. A bug of ours must not be
 * reported as `StoreUnavailable`, because clients would retry in vain.
 */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('The database is unavailable', { cause })
    this.name = 'StoreUnavailable'
  }

  static override [Symbol.hasInstance](value: unknown): value is StoreUnavailable {
    return value instanceof Error && UNAVAILABLE in value
  }

  get [UNAVAILABLE](): true {
    return true
  }
}

/**
 * An error that a client gets as a response. It has a stable code, a status, a public message and a private `cause`,
 * which goes to the log and never into a response (contract R6).
 */
export class Problem extends Error {
  /** Determines the status. */
  readonly code: ProblemCode
  /** The members of the body besides `error`. A `code` in `details` replaces the default `code` of a 400. */
  readonly details: Readonly<Record<string, unknown>>
  /** Headers of the response, besides those that every problem has. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ProblemCode,
    message: string,
    { cause, details, headers }: Partial<Pick<Problem, 'cause' | 'details' | 'headers'>> = {},
  ) {
    super(message, { cause })
    this.name = 'Problem'
    this.code = code
    this.details = details ?? {}
    this.headers = headers ?? {}
  }

  static override [Symbol.hasInstance](value: unknown): value is Problem {
    return value instanceof Error && MARK in value
  }

  get [MARK](): true {
    return true
  }

  /** The HTTP status of the response. */
  get status(): number {
    return STATUS[this.code]
  }

  /** Returns a copy of the problem with more headers on its response. */
  with(headers: Record<string, string>): Problem {
    const { code, message, cause, details } = this
    return new Problem(code, message, { cause, details, headers: { ...headers, ...this.headers } })
  }

  /** The body that a client gets, as JSON. */
  toBody(): string {
    // Every 400 has a `code`, so that no client has to parse the `error` sentence.
    const code = this.status === 400 ? { code: this.code } : {}
    return JSON.stringify({ error: this.message, ...code, ...this.details })
  }

  /** The headers of every response with this problem. */
  toHeaders(): Record<string, string> {
    return {
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...this.headers,
    }
  }

  /** The response that a client gets. */
  toResponse(): Response {
    return new Response(this.toBody(), { status: this.status, headers: this.toHeaders() })
  }

  /** The service can't handle the request now. The response asks for a retry after 1 s. Only the log has the cause. */
  static unavailable(message: string, cause?: unknown): Problem {
    return new Problem('unavailable', message, { cause, headers: { 'Retry-After': '1' } })
  }

  /** The service lacks the capacity for the request. The response also closes the connection, to free its memory. */
  static full(message: string): Problem {
    return Problem.unavailable(message).with({ Connection: 'close' })
  }

  /** Turns any thrown value into a problem for the response. */
  static from(error: unknown): Problem {
    if (error instanceof Problem) return error
    if (error instanceof StoreUnavailable) {
      return Problem.unavailable('The database is unavailable; try again', error.cause)
    }
    return new Problem('internal', 'Internal error', { cause: error })
  }
}
