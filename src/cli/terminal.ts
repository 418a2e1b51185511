/**
 * Matches characters that change a terminal's state, begin another line, or reorder the text around them. A value from
 * a coupon, an editor or a foreign server may have any of them.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Replaces such characters in a string, or in all strings of a value, with escapes such as `\u001b`. */
export function escapeControls<T>(value: T): T {
  const shown = (one: unknown): unknown => {
    if (typeof one === 'string') return one.replace(UNSEEN, escaped)
    if (Array.isArray(one)) return one.map(shown)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([key, part]) => [shown(key), shown(part)]))
  }
  return shown(value) as T
}

/** Matches a style of `styleText`, or a line break. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: A style begins with ESC.
const OURS = /(\u001b\[\d+m|\n)/

/** Prepares the whole output of a command: only our own styles and line breaks reach the terminal unescaped. */
export const forTerminal = (output: string): string =>
  output
    .split(OURS)
    .map((part, at) => (at % 2 === 1 ? part : escapeControls(part)))
    .join('')
