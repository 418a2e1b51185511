import { afterAll, describe, it } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { openAdminStage } from '../browser/admin-stage.ts'
import { forFile, stageForFile } from '../browser/stage.ts'
import { adminLook } from '../suites/admin-look.ts'
import { comfort } from '../suites/comfort.ts'
import { displayRules } from '../suites/display-rules.ts'
import { embedded } from '../suites/embedded.ts'
import { chromium } from './chromium.ts'
import { firefox } from './firefox.ts'
import { webkit } from './webkit.ts'

const stage = stageForFile()
const admin = forFile(openAdminStage)

describe.each([chromium, firefox, webkit])('in $name', ({ name, lacking, launch }) => {
  if (lacking) {
    it(`how the bar looks in ${name}`, (context) => skipAloud(context, true, lacking))
    return
  }
  const engine = launch()
  afterAll(() => engine.close())
  const [onStage, withEngine] = [() => stage, () => engine] as const

  describe('display rules (spec 2)', () => displayRules(onStage, withEngine))
  describe('comfort', () => comfort(onStage, withEngine))
  describe('embedded', () => embedded(onStage, withEngine))
  describe('the admin', () => adminLook(() => admin, withEngine))
})
