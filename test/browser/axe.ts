import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Returns the violations that axe finds.
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
      // Without this, axe also lists every rule that passes.
      const { violations } = await axe.run(selector, {
        resultTypes: ['violations'],
        ...(rules && { runOnly: rules }),
      })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    },
    [selector, rules] as const,
  )
}
