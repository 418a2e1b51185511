import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../command-line.ts'
import { OPERATIONS } from '../documented.ts'
import { blockAfter, blocksIn, commandsIn, NOT_RUN } from '../printed.ts'
import { reader, readerBeside } from './reader.ts'

describe('the commands in the guides', () => {
  it('README.md: publish with curl, with the command line and as Stripe would', async () => {
    const { run, shown } = await readerBeside()
    expect(await run(blockAfter('README.md', '- **HTTP**'))).toContain('"ok":true')
    expect(await shown()).toBe('25% off until Monday')
    await run(blockAfter('README.md', 'To try coupons without a Stripe account'))
    expect(await shown()).toBe('Black Friday')
  })

  it('docs/admin.md: create a sign-in link for another person', async () => {
    const { run, url } = await readerBeside()
    const link = await run(blockAfter('docs/admin.md', '## Signing in'))
    expect(link).toMatch(new RegExp(`^${url}/admin#[\\w-]{22}\\n$`))
  })

  it('docs/http-api.md: get the responses that the page describes', async () => {
    const { run, shown, here, env, directory } = await readerBeside()
    const [variables = '', ...requests] = blocksIn('docs/http-api.md', 'sh').map(({ text }) => text)
    const follows = 'curl -N'
    const answers: string[] = []
    for (const request of requests.filter((text) => !text.startsWith(follows))) {
      // The page's undo names the entry of the page's DELETE, which is entry 2 here.
      const entry = '"id": "17"'
      expect(request.includes('undo')).toBe(request.includes(entry))
      const answer = await run(`${variables}\n${request.replace(entry, '"id": "2"')}`)
      expect(answer).not.toContain('"error"')
      answers.push(answer)
    }
    expect(answers).toHaveLength(5)
    expect(await shown()).toBe('25% off until Monday')

    const stream = spawn(
      'sh',
      ['-c', here(`${variables}\n exec ${requests.find((text) => text.startsWith(follows))}`)],
      { cwd: directory, env },
    )
    let heard = ''
    for await (const text of stream.stdout) {
      heard += text
      if (heard.includes('\n\n')) break
    }
    stream.kill()
    const sample = blockAfter('docs/http-api.md', 'curl -N')
    const form = (text: string) =>
      text
        .trim()
        .replaceAll(/(?<=^id: ").*(?="$)/gm, '')
        .replace(/(?<=^data: \{"event":\{"id":").*/m, '')
    expect(form(heard)).toBe(form(sample))
  })

  it('docs/next.md: generate secrets for the app, and work beside it', async () => {
    const { run, shown, directory } = await readerBeside()
    await run(blockAfter('docs/next.md', 'Next and Placard'))
    expect(readFileSync(join(directory, '.env'), 'utf8')).toMatch(
      /^EVENT_API_SECRET=[0-9a-f]{48}\nSTRIPE_WEBHOOK_SECRET=whsec_[0-9a-f]{48}\n$/,
    )
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('data/\n')
    await run('rm .env')
    const commands = blockAfter('docs/next.md', 'In another terminal').trim().split('\n')
    const texts: string[] = []
    for (const command of commands) {
      await run(command)
      texts.push(await shown())
    }
    const written = 'We wrote about caching'
    expect(texts).toEqual([written, 'Black Friday', written])
  })

  it('docs/serverless.md: migrate on deployment, and tick each minute', async () => {
    const one = reader({ next: 'echo "next $*"' })
    const { build: deploy } = JSON.parse(
      `{${blockAfter('docs/serverless.md', '**On each deployment**')}}`,
    )
    const file = `file:${join(one.directory, 'deployed.db')}`
    const said = await one.run(deploy, { DATABASE_URL_UNPOOLED: file })
    expect(said).toMatch(/deployed\.db[\s\S]*next build\n$/)

    const { crons } = JSON.parse(blockAfter('docs/serverless.md', 'in `vercel.json`'))
    const ticks = OPERATIONS.filter(
      ({ method, path }) => method === 'get' && path === crons[0].path,
    )
    expect(ticks).toHaveLength(1)
    const { run } = await readerBeside()
    const [variables] = blocksIn('docs/http-api.md', 'sh')
    const tick = blockAfter('docs/serverless.md', 'With any other scheduler, run this')
    expect(await run(`${variables?.text}\n${tick}`)).toContain('"ok":true')
  })

  it('docs/stripe.md and the example: act as Stripe would', async () => {
    const { run, shown } = await readerBeside()
    expect(await run(blockAfter('docs/stripe.md', '## Try it without Stripe'))).toContain(
      'Black Friday',
    )
    expect(await shown()).toBeUndefined()
    await run(blockAfter('examples/nextjs/README.md', 'in another terminal'))
    expect(await shown()).toBe('Black Friday')
  })

  it('that running text mentions exist and run', async () => {
    const { run, directory } = await readerBeside()
    await run(`echo DATABASE_URL=file:${directory}/data/placard.db >>.env`)
    const pages = globSync(['README.md', 'docs/*.md'], { cwd: ROOT })
    const commands = [...new Set(pages.flatMap(commandsIn))].filter(
      // A command that needs arguments is only mentioned where it has none.
      (command) =>
        /^(npx --no -- )?placard (?!(backup|restore|simulate|edit)$)/.test(command) &&
        !(command in NOT_RUN),
    )
    expect(commands.length).toBeGreaterThan(8)
    for (const command of commands) {
      // Nothing but the state of this machine makes the doctor fail.
      const said = await run(command.includes('doctor') ? `${command} || true` : command)
      expect(said, command).not.toBe('')
    }
  })
})
