/**
 * Sentences by their codes. Here is the English of what clients are told; the other languages are for the admin, which
 * loads one when somebody reads it.
 */
import en from '../../locales/messages/en.json' with { type: 'json' }
import { type Issue, Problem } from './problem.ts'

/** What varies in a sentence, by the names in its braces. */
export type Params = Readonly<Record<string, string | number>>

export const SENTENCES = { ...en.problems, ...en.warnings, ...en.requests }

export type MessageCode = keyof typeof SENTENCES

/** Why a notification was ignored, or why an offer came down or is paused: a code in the history (contract R8). */
export type Reason = keyof typeof en.reasons

export const REASONS: Readonly<Record<string, string>> = en.reasons

export const isCode = (text: string): text is MessageCode => Object.hasOwn(SENTENCES, text)

/** Puts what varies into a sentence: `{count}` becomes the number. */
export function fill(sentence: string, params: Params = {}): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name) => String(params[name] ?? place))
}

/** Says in English what a code means. */
export const say = (code: MessageCode, params?: Params): string => fill(SENTENCES[code], params)

/** A fault of one field, or a warning about it (contract A11, A16). @param path the field, `''` for the whole body */
export function issueAt(path: string, code: MessageCode, params?: Params): Issue {
  return { path, code, message: say(code, params), ...(params && { params }) }
}

/** The answer to a body in which fields are wrong (contract A11). */
export function invalidBody(issues: readonly Issue[]): Problem {
  return new Problem('invalid_body', say('invalid_body'), { details: { issues } })
}

/** The answer to a request that is wrong as a whole. */
export function badRequest(code: MessageCode, params?: Params, cause?: unknown): Problem {
  return new Problem('invalid_request', say(code, params), {
    cause,
    details: { code, ...(params && { params }) },
  })
}
