import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { type DoctorOptions, diagnose } from '../../../src/cli/doctor/diagnose.ts'
import { API_SECRET, STRIPE_SECRET } from '../../harness.ts'
import { soon } from '../../soon.ts'
import { KEY } from '../../stripe/fake.ts'
import { PACE } from '../stage.ts'

/** What is found wrong, and what to do: `fail database`, its message, its fix. */
export type Named = [what: string, message: RegExp, fix: RegExp]

/** Faults to plant, by their names, and what the doctor has to find. */
export type Faults = Record<string, { plant(): Promise<DoctorOptions>; finds: Named }>

/** A file that the service keeps. */
export const kept = ({ directory }: DoctorOptions, file: string) => join(directory, 'data', file)

/** Any printed part of it would be a leak. */
function secretsOf(options: DoctorOptions): string[] {
  const own = ['event-api-secret', 'stripe-webhook-secret']
    .map((name) => kept(options, name))
    .flatMap((file) => (existsSync(file) && readFileSync(file, 'utf8').trim()) || [])
  const given = Object.entries(options.environment).flatMap(
    ([name, value]) => (/SECRET|KEY|TOKEN/.test(name) && value) || [],
  )
  return [...own, ...given, API_SECRET, STRIPE_SECRET, KEY]
}

/**
 * Diagnoses again while the service gives up on its database, which may have no time on a busy machine.
 *
 * @param expected a finding that counts even if it says so
 */
export const diagnosed = (options: DoctorOptions, expected?: RegExp) =>
  soon(async () => {
    const findings = await diagnose({ pace: PACE, ...options })
    const tardy = findings.find(({ message }) => /database within \d+ ms/.test(message))
    if (tardy && !expected?.test(tardy.message)) throw new Error(tardy.message)
    return findings
  })

/** Holds what is found against what was planted: nothing more, nothing less, and no secret. */
export async function expectNamed(
  { expect }: Pick<TestContext, 'expect'>,
  options: DoctorOptions,
  [what, message, fix]: Named,
) {
  const findings = await diagnosed({ settleMs: 0, ...options }, message)
  const found = findings.filter(({ status }) => status === 'warn' || status === 'fail')
  expect(found.map(({ status, check }) => `${status} ${check}`)).toEqual([what])
  expect(found[0]?.message).toMatch(message)
  expect(found[0]?.fix).toMatch(fix)
  expect(`${found[0]?.message}${found[0]?.fix}`).not.toContain('\n')
  const said = JSON.stringify(findings)
  for (const secret of secretsOf(options)) expect(said).not.toContain(secret)
}
