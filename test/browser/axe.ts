import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds. Nothing here may find anything.
 *
 * @param rules the rules to check; default: all
 */
export async function violations(
  page: Page,
  selector = 'html',
  rules?: string[],
): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  if (!isThere) await page.evaluate(axe.source)
  return page.evaluate(
    async ([selector, rules]) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      // It need not tell of all that is right.
      const { violations } = await axe.run(selector, {
        resultTypes: ['violations'],
        ...(rules && { runOnly: rules }),
      })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    },
    [selector, rules] as const,
  )
}
