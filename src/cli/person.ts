import { createInterface } from 'node:readline/promises'
import type { Choose } from '../core/times.ts'
import { inFull, TimeError } from '../core/times.ts'

/**
 * Asks a person which of two instants they mean. If there is nobody to ask, it refuses, and says how to write either.
 *
 * @param now milliseconds since 1970
 */
export function chooser(now: number, mayAsk: boolean): Choose {
  return async (option, { earlier, later }) => {
    const exact = [earlier, later].map((time) =>
      time.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    )
    if (!mayAsk || !process.stdin.isTTY) {
      throw new TimeError(
        'twice',
        `${option}: that time comes twice, as the clocks are set back: say ${exact.join(' or ')}`,
        [earlier, later],
      )
    }
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    try {
      for (;;) {
        const answer = await lines.question(
          `${option}: that time comes twice, as the clocks are set back.\n` +
            `  1  ${inFull(earlier, now)}\n  2  ${inFull(later, now)}\nWhich one? `,
        )
        if (answer.trim() === '1') return earlier
        if (answer.trim() === '2') return later
      }
    } finally {
      lines.close()
    }
  }
}
