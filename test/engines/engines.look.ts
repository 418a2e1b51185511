import { afterAll, describe, it } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { openAdminStage } from '../browser/admin-stage.ts'
import { forFile, stageForFile } from '../browser/stage.ts'
import { adminLook } from '../suites/admin-look.ts'
import { adminViews } from '../suites/admin-views.ts'
import { comfort } from '../suites/comfort.ts'
import { displayRules } from '../suites/display-rules.ts'
import { embedded } from '../suites/embedded.ts'
import { ownColours } from '../suites/own-colours.ts'
import { chromium } from './chromium.ts'
import { firefox } from './firefox.ts'
import { webkit } from './webkit.ts'

const stage = stageForFile()
const admin = forFile(openAdminStage)

describe.each([chromium, firefox, webkit])('in $name', ({ lacking, launch }) => {
  if (lacking) {
    it('the bar and the admin look right', (context) => skipAloud(context, true, lacking))
    return
  }
  const engine = launch()
  afterAll(() => engine.close())

  describe('display rules (spec 2)', () => displayRules(stage, engine, true))
  describe('motion and colour', () => comfort(stage, engine, true))
  describe('embedded', () => embedded(stage, engine, true))
  describe('own colours', () => ownColours(stage, engine, true))
  describe('the admin', () => adminLook(admin, engine))
})

describe('the admin in Chromium', () => adminViews(admin, true))
