import type { AnnouncementType } from '../../src/core/fields.ts'
import type { Model } from './checker.ts'

/** What happens to announcements, one action at a time. A text identifies one announcement. */
export type Action =
  | { kind: 'publish'; text: string; type: AnnouncementType; timestamp: number | undefined }
  /** @param deleted the number in the response, if there was one */
  | {
      kind: 'withdraw'
      what: { type: AnnouncementType } | { text: string }
      deleted: number | undefined
    }
  /** What was live. */
  | { kind: 'look'; text: string | null }
  /** All that was stored, newest first. */
  | { kind: 'list'; texts: readonly string[] }

/** What is published, newest first, and the last timestamp that is known to have been assigned. */
export interface State {
  up: readonly { text: string; type: AnnouncementType }[]
  last: number
}

/** Contract A12, A13 and R1, spec 1: the rules that no order of what happened may break. */
export const announcements: Model<State, Action> = {
  initial: { up: [], last: Number.NEGATIVE_INFINITY },
  onlyLooks: ({ kind }) => kind === 'look' || kind === 'list',
  key: ({ up, last }) => `${up.map(({ text }) => text)} ${last}`,
  apply(state, action) {
    const { up, last } = state
    switch (action.kind) {
      case 'publish': {
        const { text, type, timestamp = last } = action
        if (action.timestamp !== undefined && timestamp <= last) return undefined
        const others = up.filter((one) => one.type !== type)
        return { up: [{ text, type }, ...others], last: timestamp }
      }
      case 'withdraw': {
        const { what, deleted } = action
        const left = up.filter((one) =>
          'type' in what ? one.type !== what.type : one.text !== what.text,
        )
        if (deleted !== undefined && deleted !== up.length - left.length) return undefined
        return { up: left, last }
      }
      case 'look':
        return action.text === (up[0]?.text ?? null) ? state : undefined
      case 'list':
        return action.texts.join() === up.map(({ text }) => text).join() ? state : undefined
    }
  },
}
