import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { documented } from '../documented.ts'
import { clear, type DirectMount, type Mount, makePlacard } from '../harness.ts'
import { type Place, STORES, type StoreKind } from '../stores.ts'

/** Suites by topic. All tests of a suite share a mount, which is cleared before each test. */
export function suites(
  name: string,
  make: () => Promise<Mount>,
  all: Record<string, (mount: Mount) => void>,
): void {
  describe.each(Object.entries(all))(`%s, ${name}`, (_, suite) => {
    const mount = {} as Mount
    beforeAll(async () => void Object.assign(mount, documented(await make())))
    beforeEach(() => clear(mount))
    afterAll(() => mount.close())
    suite(mount)
  })
}

/** A service for a single test, on a database of its own. */
export interface Stage extends DirectMount {
  store: Store
  place: Place
}

/** Runs a suite on each store. Each test has a service of its own, whose responses must match the OpenAPI document. */
export function onEachStore(name: string, suite: (stage: Stage, kind: StoreKind) => void): void {
  describe.each(STORES.map((kind) => [`${name}, ${kind.name}`, kind] as const))('%s', (_, kind) => {
    const stage = {} as Stage
    beforeEach(async () => {
      const place = await kind.place()
      const store = await place.open()
      Object.assign(stage, { place, store }, documented(makePlacard(store)))
    })
    afterEach(() => stage.close())
    suite(stage, kind)
  })
}
