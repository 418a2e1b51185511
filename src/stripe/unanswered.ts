import type { Reason } from '../core/messages.ts'

/** What became of a request: answered, or why it was not. */
export const ASK_RESULTS = ['answered', 'denied', 'limited', 'failed'] as const

export type AskResult = (typeof ASK_RESULTS)[number]

/** Stripe gave no answer that is one. It says why in words that hold nothing of the request, as that has the key (T6). */
export class Unanswered extends Error {
  readonly result: Exclude<AskResult, 'answered'>
  /** How long Stripe asks us to wait, in ms; else 0. */
  readonly waitMs: number
  /** Of the answer, if there was one. */
  readonly status: number | undefined
  /** Whether it was asked. While Stripe wants no requests, nothing is sent. */
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

  /** The same for the history. */
  get reason(): Reason {
    if (this.status === 401) return 'key_refused'
    return this.status === 403 ? 'right_missing' : 'no_answer'
  }
}
