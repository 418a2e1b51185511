/** The English sentence for each code, for API clients. The admin loads the other languages when it is first opened. */
import en from '../../locales/messages/en.json' with { type: 'json' }
import { type Issue, Problem } from './problem.ts'

/** The values for a sentence's placeholders, by placeholder name. */
export type Params = Readonly<Record<string, string | number>>

export const SENTENCES = { ...en.problems, ...en.warnings, ...en.requests }

export type MessageCode = keyof typeof SENTENCES

/** Why a notification was ignored, or why an offer was taken down or paused: a code in the history (contract R8). */
export type Reason = keyof typeof en.reasons

export const REASONS: Readonly<Record<string, string>> = en.reasons

export const isCode = (text: string): text is MessageCode => Object.hasOwn(SENTENCES, text)

/** Fills the placeholders of a sentence: `{count}` becomes the number. */
export function fill(sentence: string, params: Params = {}): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name) => String(params[name] ?? place))
}

/** The English sentence for a code. */
export const say = (code: MessageCode, params?: Params): string => fill(SENTENCES[code], params)

/** Creates an issue: a fault, or a warning (contract A11, A16). @param path the field, `''` for the whole body */
export function issueAt(path: string, code: MessageCode, params?: Params): Issue {
  return { path, code, message: say(code, params), ...(params && { params }) }
}

/** The response to a body with invalid fields (contract A11). */
export function invalidBody(issues: readonly Issue[]): Problem {
  return new Problem('invalid_body', say('invalid_body'), { details: { issues } })
}

/** The response to a request that is invalid as a whole. */
export function badRequest(code: MessageCode, params?: Params, cause?: unknown): Problem {
  return new Problem('invalid_request', say(code, params), {
    cause,
    details: { code, ...(params && { params }) },
  })
}
