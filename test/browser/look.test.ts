import { afterAll, describe } from 'vitest'
import { chromium } from '../engines/chromium.ts'
import { comfort } from '../suites/comfort.ts'
import { displayRules } from '../suites/display-rules.ts'
import { embedded } from '../suites/embedded.ts'
import { stageForFile } from './stage.ts'

const stage = stageForFile()
const engine = chromium.launch()
afterAll(() => engine.close())
const [onStage, withEngine] = [() => stage, () => engine] as const

describe('display rules (spec 2) in Chromium', () => displayRules(onStage, withEngine))
describe('comfort in Chromium', () => comfort(onStage, withEngine))
describe('on somebody else’s page in Chromium', () => embedded(onStage, withEngine))
