import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { build, ROOT, serving } from './command-line.ts'

const SECRET = 'an-api-secret-of-the-test'

beforeAll(build, 120_000)

it("the example's workflow announces a release, whatever its title says to a shell", async () => {
  const workflow = readFileSync(join(ROOT, 'examples/release-notice/announce.yml'), 'utf8')
  const [, command = ''] = /- run: (placard publish .*)/.exec(workflow) ?? []
  const directory = mkdtempSync(join(tmpdir(), 'placard-release-notice-'))
  const { url } = await serving(directory, { PORT: '0', EVENT_API_SECRET: SECRET })

  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', `placard() { "${process.execPath}" "${ROOT}bin/placard.mjs" "$@"; }\n${command}`],
    {
      cwd: directory,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        EVENT_API_SECRET: SECRET,
        PLACARD_URL: url,
        NAME: `2.0 "$(touch stolen)" \`id\``,
        PAGE: 'https://github.com/example/project/releases/tag/v2.0',
      },
    },
  )
  expect([status, stderr]).toEqual([0, ''])
  const { event } = await (await fetch(`${url}/api/events`)).json()
  expect(event).toMatchObject({
    text: '2.0 "$(touch stolen)" `id` is out',
    slug: 'https://github.com/example/project/releases/tag/v2.0',
    icon: 'rocket',
  })
  expect(stdout).toMatch(/Ends .*in 7 days/)
})
