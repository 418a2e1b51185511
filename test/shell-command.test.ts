import { expect, it } from 'vitest'
import { shellCommand } from '../src/core/shell-command.ts'

it.each([
  ['http://localhost:3000', ''],
  ['http://127.0.0.1:3000', ''],
  ['http://localhost:8080', ' --url http://localhost:8080'],
  ['http://localhost:30001', ' --url http://localhost:30001'],
  ['https://localhost:3000', ' --url https://localhost:3000'],
  ['http://192.168.1.5:3000', ' --url http://192.168.1.5:3000'],
  ['https://notices.example', ' --url https://notices.example'],
  ['http://[::1]:3000', ' --url "http://[::1]:3000"'],
])('contract Settings: a command for %s says so unless that is the default', (url, option) => {
  expect(shellCommand('current', url)).toBe(`npx --no -- placard current${option}`)
})
