import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { expect, it } from 'vitest'
import { commandLine } from '../command-line.ts'
import { API_SECRET, withdraw } from '../harness.ts'
import { listen } from '../raw.ts'
import { temporaryDirectory } from '../stores.ts'
import { stageForEach } from './stage.ts'

// A file of its own, because the copies that mutants run in have no built command line.
const stage = stageForEach()

it('contract R9, T2: what an undo would bring back is judged first from the command line too', async () => {
  const mount = await stage.offers({ maxRedemptions: 5 })
  await withdraw(mount, { type: 'coupon' })
  stage.stripe.redeem('C', 5)
  const server = createServer(getRequestListener((request) => mount.placard.fetch(request)))
  const url = `http://127.0.0.1:${await listen(server)}`
  const { refused } = commandLine(temporaryDirectory(), { EVENT_API_SECRET: API_SECRET })
  const error = 'The checkout would refuse that offer. The coupon is used up.'
  expect(await refused(1, 'undo', '--url', url)).toContain(error)
  expect(await stage.up()).toBeNull()
})
