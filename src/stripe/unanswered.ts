/** What became of a request: answered, or why it was not. */
export type AskResult = 'answered' | 'denied' | 'limited' | 'failed'

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
}
