import type { Reason } from '../core/messages.ts'

/** The result of a request: answered, or why not. */
export const ASK_RESULTS = ['answered', 'denied', 'limited', 'failed'] as const

export type AskResult = (typeof ASK_RESULTS)[number]

/** A question without a usable answer. The message repeats nothing of the request, which contains the key (T6). */
export class Unanswered extends Error {
  readonly result: Exclude<AskResult, 'answered'>
  /** How long Stripe asks us to wait, in ms; else 0. */
  readonly waitMs: number
  /** The status of the answer, if there was one. */
  readonly status: number | undefined
  /** Whether the question was sent. Nothing is sent while Stripe wants no requests. */
  readonly sent: boolean

  constructor(
    result: Unanswered['result'],
    message: string,
    { waitMs = 0, status, sent = true }: { waitMs?: number; status?: number; sent?: boolean } = {},
  ) {
    super(message)
    this.name = 'Unanswered'
    this.result = result
    this.waitMs = waitMs
    this.status = status
    this.sent = sent
  }

  /** The reason, as a code of the history. */
  get reason(): Reason {
    if (this.status === 401) return 'key_refused'
    return this.status === 403 ? 'right_missing' : 'no_answer'
  }
}
