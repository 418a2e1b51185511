import { afterAll, afterEach } from 'vitest'
import { cleanUpFile, cleanUpTest } from './after-file.ts'

afterEach(cleanUpTest)
afterAll(cleanUpFile)
