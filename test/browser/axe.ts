import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** What axe finds. Nothing here may find anything. */
export async function violations(page: Page, of = (axe: AxeBuilder) => axe): Promise<string[]> {
  // The legacy mode looks at frames from within. There are none, and it needs no second page for that.
  const axe = new AxeBuilder({ page }).setLegacyMode()
  // It need not tell of all that is right.
  const { violations } = await of(axe.options({ resultTypes: ['violations'] })).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
