import { expect, it } from 'vitest'
import { escapeControls, forTerminal } from '../src/cli/terminal.ts'
import { commandLine } from './command-line.ts'
import { SECRETS } from './harness.ts'
import { site } from './site.ts'
import { temporaryDirectory } from './stores.ts'

/** Sets a window's title, clears the screen (in one byte and in two), forges a line, and turns the text around. */
const HOSTILE =
  '\u001b]0;x\u0007 \u009b2J \u001b[31m \nplacard: fine\r \u202e\u2066\u200f\u2028\u007f'
const NONE = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u

it('contract Settings: control and direction-changing characters are shown as escapes, and nothing else is', () => {
  const kept = 'Añadido 🏳️‍🌈 סתיו می‌خواهم 漢字 … “x” \\u0041'
  expect(escapeControls({ a: [kept, 7, null, true] })).toEqual({ a: [kept, 7, null, true] })
  expect(escapeControls('\u001b]0;\u0007\u009b\u061c\u2069\ud800')).toBe(
    '\\u001b]0;\\u0007\\u009b\\u061c\\u2069\\ud800',
  )
  expect(forTerminal('\u001b[1mbold\u001b[22m\nline\u001b[2J\r')).toBe(
    '\u001b[1mbold\u001b[22m\nline\\u001b[2J\\u000d',
  )
})

const EVENT = {
  ...{ id: HOSTILE, text: HOSTILE, type: 'post', slug: HOSTILE, icon: HOSTILE, language: HOSTILE },
  ...{ timestamp: '1', expiresAt: '9000000000000', translations: { de: HOSTILE }, etag: HOSTILE },
}
const BY = { via: 'stripe', notification: HOSTILE, event: HOSTILE, coupon: HOSTILE, name: HOSTILE }
const ENTRY = {
  ...{ id: '1', at: '1', action: 'replaced', before: null, after: { ...EVENT, coupon: HOSTILE } },
  ...{ by: { ...BY, couponName: HOSTILE }, reason: HOSTILE, undo: 'possible' },
}
const ANSWERS: Record<string, object> = {
  current: { event: EVENT },
  list: { events: [{ ...EVENT, startsAt: '8000000000000' }] },
  history: { entries: [ENTRY], next: null },
  'withdraw --type post': { message: HOSTILE, ok: true, deleted: 1, event: EVENT },
  open: { url: HOSTILE, expiresAt: '1' },
  'simulate coupon.created': { received: true, outcome: HOSTILE, reason: HOSTILE },
}

it.each(Object.entries(ANSWERS))(
  'contract Settings: `placard %s` prints texts from the service without control characters',
  async (command, answer) => {
    const { url } = await site(200, {}, JSON.stringify(answer))
    const { placard } = commandLine(temporaryDirectory(), SECRETS)
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await placard(...command.split(' '), '--url', url, ...more)
      expect(stderr).toBe('')
      expect(stdout).toContain('\\u001b]0;x\\u0007')
      expect(stdout).not.toMatch(NONE)
      expect(stdout).not.toMatch(/^placard: fine/m)
      if (more.length > 0) expect(JSON.stringify(JSON.parse(stdout))).toContain('\u009b2J')
    }
  },
)

it.each([
  ['an error', 400, { error: HOSTILE, issues: [{ path: HOSTILE, code: 'x', message: HOSTILE }] }],
  ['a failure', 503, { error: HOSTILE }],
])(
  'contract Settings: %s from another server reaches the terminal without control characters',
  async (_, status, body) => {
    const { url } = await site(status, {}, JSON.stringify(body))
    const { placard } = commandLine(temporaryDirectory(), SECRETS)
    for (const more of [[], ['--json']]) {
      for (const command of ['publish Text', 'current', 'doctor']) {
        const { stdout, stderr } = await placard(...command.split(' '), '--url', url, ...more)
        expect(stdout + stderr).not.toMatch(NONE)
        expect(stdout + stderr).not.toMatch(/^placard: fine/m)
      }
    }
  },
)
