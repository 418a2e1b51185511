import { makePlacard } from './harness.ts'
import { STORES } from './stores.ts'
import { wholeSuite } from './suites/api.ts'

for (const kind of STORES) {
  wholeSuite(`placard.fetch on ${kind.name}`, async () => {
    const place = await kind.place()
    return makePlacard(await place.open())
  })
}
