import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { chromium } from '../engines/chromium.ts'
import type { Engine } from '../engines/engine.ts'
import { comfort } from '../suites/comfort.ts'
import { displayRules } from '../suites/display-rules.ts'
import { embedded } from '../suites/embedded.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
let engine: Engine
beforeAll(async () => {
  stage = await openStage()
  engine = chromium.launch()
})
afterAll(() => Promise.all([engine.close(), stage.close()]))
beforeEach(() => stage.clear())

describe('display rules (spec 2) in Chromium', () =>
  displayRules(
    () => stage,
    () => engine,
  ))
describe('comfort in Chromium', () =>
  comfort(
    () => stage,
    () => engine,
  ))
describe('on somebody else’s page in Chromium', () =>
  embedded(
    () => stage,
    () => engine,
  ))
