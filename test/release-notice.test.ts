import { beforeAll, expect, it } from 'vitest'
import { pasted, serving } from './command-line.ts'
import { read } from './printed.ts'
import { temporaryDirectory } from './stores.ts'

const SECRET = 'an-api-secret-of-the-test'
const workflow = read('examples/release-notice/announce.yml')
const directory = temporaryDirectory()
let url = ''
beforeAll(async () => {
  ;({ url } = await serving(directory, { PORT: '0', EVENT_API_SECRET: SECRET }))
})

it.each([`2.0 "$(touch stolen)" \`id\``, '--help', '--url=http://attacker.example', '-- 2.0'])(
  'the example workflow for release notices announces the release %s',
  async (name) => {
    // The workflow doesn't run for prereleases, and its token has no permissions.
    expect(workflow).toMatch(/^ {4}types: \[released\]$/m)
    expect(workflow).toMatch(/^permissions: \{\}$/m)
    const [, command = ''] = /- run: (placard publish .*)/.exec(workflow) ?? []

    const { code, stdout, stderr } = await pasted(directory, command, {
      EVENT_API_SECRET: SECRET,
      PLACARD_URL: url,
      NAME: name,
      PAGE: 'https://github.com/example/project/releases/tag/v2.0',
    })
    expect([code, stderr]).toEqual([0, ''])
    const { event } = await (await fetch(`${url}/api/events`)).json()
    expect(event).toMatchObject({
      text: `${name} is out`,
      slug: 'https://github.com/example/project/releases/tag/v2.0',
      icon: 'rocket',
    })
    expect(stdout).toMatch(/Ends .*in 7 days/)
  },
)
