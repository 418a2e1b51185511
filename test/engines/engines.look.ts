import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { type AdminStage, openAdminStage } from '../browser/admin-stage.ts'
import { openStage, type Stage } from '../browser/stage.ts'
import { adminLook } from '../suites/admin-look.ts'
import { comfort } from '../suites/comfort.ts'
import { displayRules } from '../suites/display-rules.ts'
import { embedded } from '../suites/embedded.ts'
import { chromium } from './chromium.ts'
import type { Engine } from './engine.ts'
import { firefox } from './firefox.ts'
import { webkit } from './webkit.ts'

let stage: Stage
let admin: AdminStage
beforeAll(async () => {
  stage = await openStage()
  admin = await openAdminStage()
})
afterAll(() => Promise.all([stage.close(), admin.close()]))
beforeEach(() => Promise.all([stage.clear(), admin.clear()]))

describe.each([chromium, firefox, webkit])('in $name', ({ name, lacking, launch }) => {
  if (lacking) {
    it(`how the bar looks in ${name}`, (context) => skipAloud(context, true, lacking))
    return
  }
  let engine: Engine
  beforeAll(() => {
    engine = launch()
  })
  afterAll(() => engine.close())
  const [onStage, withEngine] = [() => stage, () => engine] as const

  describe('display rules (spec 2)', () => displayRules(onStage, withEngine))
  describe('comfort', () => comfort(onStage, withEngine))
  describe('embedded', () => embedded(onStage, withEngine))
  describe('the admin', () => adminLook(() => admin, withEngine))
})
