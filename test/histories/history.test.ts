import { describe, expect, it } from 'vitest'
import { faultIn, type Looked, type Noted, type Seen } from './history.ts'

const LAG_MS = 100

/** An announcement whose name contains its timestamp. */
const seen = (text: string): Seen => ({
  ...{ id: `id of ${text}`, text, timestamp: Number(text.replace(/\D/g, '')) },
  type: text.startsWith('post') ? 'post' : 'coupon',
})

/**
 * Parses a history: steps with their times. Steps on node B begin with `B `.
 *
 * - `+post1 0-1`: published
 * - `-post=1 2-3`: withdrew by type, with this number deleted
 * - `post1 4-5`, `none 4-5`: showed; with `stale`, marked as stale; with `stream`, as the stream's next message
 * - `[post1 coupon2] 4-5`: the database held
 */
function noted(history: string): Noted[] {
  let follows: Looked | undefined
  return history.split(', ').map((words) => {
    const [, other, what = '', from, to, how] =
      /^(B )?(\S+|\[.*\]) (\d+)-(\d+) ?(stale|stream)?$/.exec(words) ?? expect.fail(words)
    const when = { node: other ? 'B' : 'A', from: Number(from), to: Number(to) }
    const [text = '', deleted] = what.slice(1).split('=')
    if (what.startsWith('[')) {
      return { kind: 'list', ...when, saw: what.slice(1, -1).split(' ').map(seen) }
    }
    if (what.startsWith('-')) {
      const type = seen(text).type
      return { kind: 'withdraw', ...when, what: { type }, deleted: Number(deleted) }
    }
    if (what.startsWith('+')) {
      const { id, type } = seen(text)
      return { kind: 'publish', ...when, text, type, id }
    }
    const saw = what === 'none' ? null : seen(what)
    const look: Looked = { kind: 'look', ...when, saw, stale: how === 'stale' }
    if (how !== 'stream') return look
    look.follows = follows
    follows = look
    return look
  })
}

describe('the check of a history', () => {
  it.each([
    [
      "R1: an announcement that isn't the most recent",
      '+post1 0-1, +coupon2 2-3, post1 4-5',
      /No order/,
    ],
    ['A12: two announcements of a type', '+post1 0-1, +post2 2-3, [post2 post1] 4-5', /No order/],
    ['A13: a withdrawal with a wrong count', '+post1 0-1, -post=0 2-3', /No order/],
    ['A13: a withdrawal that was lost', '+post1 0-1, -post=1 2-3, post1 4-5', /No order/],
    ['R1: a repeated timestamp', '+post1 0-1, +coupon1 0-1, post1 2-3, coupon1 4-5', /timestamps/],
    [
      'R1: a timestamp that steps back',
      '+post5 0-1, post5 2-3, +coupon4 3-4, coupon4 5-6',
      /timestamps/,
    ],
    ["R3: an acknowledged write that isn't shown", '+post1 0-1, none 2-3', /No order/],
    [
      "R3: an acknowledged write that isn't shown, in a stale response",
      '+post1 0-1, none 2-3 stale',
      /No order/,
    ],
    ['R3: another node that shows a write too late', '+post1 0-1, B none 102-103', /No order/],
    [
      'R3: a node that goes back to an older state',
      '+post1 0-9, B post1 2-3, B none 4-5',
      /No order/,
    ],
    [
      'R3: a stale response that goes back to an older state',
      '+post1 0-9, B post1 2-3, B none 4-5 stale',
      /No order/,
    ],
    ['R3: a write that shows before it was sent', 'post1 0-1, +post1 2-3', /No order/],
    [
      'R4: a stream that goes back to an older state',
      '+post1 0-9, +post2 0-9, post2 1-2 stream, post1 3-4 stream',
      /No order/,
    ],
    [
      'R4: a stream that begins with an older state than its node has shown',
      '+post1 0-9, post1 2-3, none 4-5 stream',
      /No order/,
    ],
    ['A12: an announcement that nobody published', 'post1 0-1', /never published/],
  ])('finds a breach of contract %s', (_, history, fault) => {
    expect(faultIn(noted(history), LAG_MS)).toMatch(fault)
  })

  it.each([
    ['A12: another id than the response had', { id: 'another' }, /another/],
    ['R1: another timestamp than before', { timestamp: 2 }, /"timestamp":2/],
  ])('finds a breach of contract %s', (_, parts, fault) => {
    const [published, shown, again] = noted('+post1 0-1, post1 2-3, post1 4-5')
    const wrong = { ...again, saw: { ...seen('post1'), ...parts } } as Looked
    expect(faultIn([published as Noted, shown as Noted, wrong], LAG_MS)).toMatch(fault)
  })
})
