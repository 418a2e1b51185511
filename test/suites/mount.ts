import { afterAll, beforeAll, beforeEach } from 'vitest'
import { clear, type Mount } from '../harness.ts'

/** One mount for all tests of a suite, where nothing is up before each. */
export function sharedMount(make: () => Promise<Mount>): Mount {
  const mount = {} as Mount
  beforeAll(async () => {
    Object.assign(mount, await make())
  })
  beforeEach(() => clear(mount))
  afterAll(() => mount.close())
  return mount
}
