import { makePlacard } from './harness.ts'
import { STORES } from './stores.ts'
import { apiSuite } from './suites/api.ts'

for (const kind of STORES) {
  apiSuite(`placard.fetch on ${kind.name}`, async () => {
    const place = await kind.place()
    return makePlacard(await place.open())
  })
}
