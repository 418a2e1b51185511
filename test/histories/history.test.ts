import { describe, expect, it } from 'vitest'
import { faultIn, type Listed, type Looked, type Noted, type Seen } from './history.ts'

const LAG_MS = 100

/** An announcement, its timestamp in its name. */
const seen = (text: string): Seen => {
  const type = text.startsWith('post') ? 'post' : 'coupon'
  return { id: `id of ${text}`, text, type, timestamp: Number(text.replace(/\D/g, '')) }
}

const publishes = (text: string, from: number, to?: number, node = 'A'): Noted => {
  const { id, type } = seen(text)
  return { kind: 'publish', node, text, type, id: to && id, from, to: to ?? Infinity } as Noted
}
const withdraws = (
  type: 'post' | 'coupon',
  deleted: number,
  from: number,
  to = from + 1,
): Noted => ({
  kind: 'withdraw',
  node: 'A',
  what: { type },
  deleted,
  from,
  to,
})
const shows = (
  text: string | null,
  at: number,
  node = 'A',
  more: Partial<Looked> = {},
): Looked => ({
  kind: 'look',
  node,
  saw: text === null ? null : seen(text),
  from: at,
  to: at + 1,
  stale: false,
  ...more,
})
const holds = (texts: string[], at: number): Listed => ({
  kind: 'list',
  node: 'database',
  saw: texts.map(seen),
  from: at,
  to: at + 1,
})
const streams = (...messages: Looked[]): Looked[] => {
  for (const [place, one] of messages.entries()) one.follows = messages[place - 1]
  return messages
}

const STALE = { stale: true }

describe('what histories are held against', () => {
  it.each<[string, Noted[]]>([
    ['R1: nothing, at first', [shows(null, 0)]],
    [
      'R1: the most recent',
      [publishes('post1', 0, 1), publishes('coupon2', 2, 3), shows('coupon2', 4)],
    ],
    [
      'A12: one of a type',
      [publishes('post1', 0, 1), publishes('post2', 2, 3), holds(['post2'], 4)],
    ],
    [
      'A13: what is left',
      [
        publishes('post1', 0, 1),
        publishes('coupon2', 2, 3),
        withdraws('coupon', 1, 4),
        shows('post1', 6),
      ],
    ],
    ['A13: nothing to withdraw', [withdraws('post', 0, 0), shows(null, 2)]],
    [
      'R3: another node, a while later',
      [publishes('post1', 0, 1), shows(null, 100, 'B'), shows('post1', 102, 'B')],
    ],
    [
      'R3: another node, marked, whenever',
      [publishes('post1', 0, 1), shows(null, 900, 'B', STALE)],
    ],
    [
      'R3: an unanswered write that happened',
      [publishes('post1', 0), shows(null, 500), shows('post1', 502)],
    ],
    [
      'R3: an unanswered write that did not',
      [publishes('post1', 0), shows(null, 500), holds([], 502)],
    ],
    [
      'R4: each change',
      [
        publishes('post1', 0, 1),
        publishes('post2', 2, 3),
        ...streams(shows(null, 0), shows('post1', 2), shows('post2', 4)),
      ],
    ],
  ])('contract %s', (_, history) => {
    expect(faultIn(history, LAG_MS)).toBeUndefined()
  })

  it.each<[string, Noted[], RegExp]>([
    [
      'R1: not the most recent',
      [publishes('post1', 0, 1), publishes('coupon2', 2, 3), shows('post1', 4)],
      /No order/,
    ],
    [
      'A12: two of a type',
      [publishes('post1', 0, 1), publishes('post2', 2, 3), holds(['post2', 'post1'], 4)],
      /No order/,
    ],
    [
      'A13: a withdrawal that counts wrong',
      [publishes('post1', 0, 1), withdraws('post', 0, 2)],
      /No order/,
    ],
    [
      'A13: a withdrawal that was lost',
      [publishes('post1', 0, 1), withdraws('post', 1, 2), shows('post1', 4)],
      /No order/,
    ],
    [
      'R1: one timestamp twice',
      [
        publishes('post1', 0, 1),
        publishes('coupon1', 0, 1),
        shows('post1', 2),
        shows('coupon1', 4),
      ],
      /timestamps/,
    ],
    [
      'R1: a timestamp that steps back',
      [
        publishes('post5', 0, 1),
        shows('post5', 2),
        publishes('coupon4', 3, 4),
        shows('coupon4', 5),
      ],
      /timestamps/,
    ],
    [
      'R3: an answered write that is not shown',
      [publishes('post1', 0, 1), shows(null, 2)],
      /No order/,
    ],
    [
      'R3: not even where it is marked',
      [publishes('post1', 0, 1), shows(null, 2, 'A', STALE)],
      /No order/,
    ],
    ['R3: another node, too late', [publishes('post1', 0, 1), shows(null, 102, 'B')], /No order/],
    [
      'R3: a node that goes back',
      [publishes('post1', 0, 9), shows('post1', 2, 'B'), shows(null, 4, 'B')],
      /No order/,
    ],
    [
      'R3: a marked answer that goes back',
      [publishes('post1', 0, 9), shows('post1', 2, 'B'), shows(null, 4, 'B', STALE)],
      /No order/,
    ],
    ['R3: what comes later', [shows('post1', 0), publishes('post1', 2, 3)], /No order/],
    [
      'R4: a stream that goes back',
      [
        publishes('post1', 0, 9),
        publishes('post2', 0, 9),
        ...streams(shows('post2', 1), shows('post1', 3)),
      ],
      /No order/,
    ],
    [
      'R4: a stream that begins before what its node has shown',
      [publishes('post1', 0, 9), shows('post1', 2), ...streams(shows(null, 4))],
      /No order/,
    ],
    ['A12: what nobody published', [shows('post1', 0)], /never published/],
    [
      'A12: another id than was answered',
      [
        publishes('post1', 0, 1),
        shows('post1', 2, 'A', { saw: { ...seen('post1'), id: 'another' } }),
      ],
      /another/,
    ],
    [
      'R1: another timestamp than before',
      [
        publishes('post1', 0, 1),
        shows('post1', 2),
        shows('post1', 4, 'A', { saw: { ...seen('post1'), timestamp: 2 } }),
      ],
      /"timestamp":2/,
    ],
  ])('contract %s: is found', (_, history, fault) => {
    expect(faultIn(history, LAG_MS)).toMatch(fault)
  })

  it('says where it got stuck, in words', () => {
    const history = [
      publishes('post1', 0, 1),
      withdraws('post', 1, 2),
      shows('post1', 4, 'B', { to: 200 }),
      shows('post1', 300, 'B'),
    ]
    expect(faultIn(history, LAG_MS)?.split('\n')).toEqual([
      'No order of all that happened is possible. The longest has 3 of 4 steps:',
      '  0.0 to 1.0 ms, A: published post1 (post)',
      '  4.0 to 200.0 ms, B: showed post1 (post, 1)',
      '  2.0 to 3.0 ms, A: withdrew post, 1 deleted',
      'After it, this is up, newest first: nothing. What comes next:',
      '  300.0 to 301.0 ms, B: showed post1 (post, 1)',
    ])
  })
})
