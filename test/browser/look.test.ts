import { afterAll, describe } from 'vitest'
import { chromium } from '../engines/chromium.ts'
import { comfort } from '../suites/comfort.ts'
import { displayRules } from '../suites/display-rules.ts'
import { embedded } from '../suites/embedded.ts'
import { ownColours } from '../suites/own-colours.ts'
import { stageForFile } from './stage.ts'

const stage = stageForFile()
const engine = chromium.launch()
afterAll(() => engine.close())

describe('display rules (spec 2) in Chromium', () => displayRules(stage, engine, false))
describe('comfort in Chromium', () => comfort(stage, engine, false))
describe("on somebody else's page in Chromium", () => embedded(stage, engine, false))
describe('own colours in Chromium', () => ownColours(stage, engine, false))
