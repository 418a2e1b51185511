import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type AdminStage, openAdminStage } from './admin-stage.ts'

/** A stage for all tests of a file. It is cleared before each, and in none of them may anything break. */
export function stageForAll(): AdminStage {
  const stage = {} as AdminStage
  beforeAll(async () => {
    Object.assign(stage, await openAdminStage())
  })
  afterAll(() => stage.close())
  beforeEach(() => stage.clear())
  afterEach(() => expect(stage.broken).toEqual([]))
  return stage
}
