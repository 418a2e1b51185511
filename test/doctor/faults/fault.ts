import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { type DoctorOptions, diagnose } from '../../../src/cli/doctor/diagnose.ts'
import { API_SECRET, STRIPE_SECRET } from '../../harness.ts'
import { soon } from '../../soon.ts'
import { KEY } from '../../stripe/fake.ts'
import { PACE } from '../stage.ts'

/** A finding: its status and check, such as `fail database`, its message and its fix. */
export type Named = [what: string, message: RegExp, fix: RegExp]

/** Faults to plant, by name, each with the finding that the doctor should report. */
export type Faults = Record<string, { plant(): Promise<DoctorOptions>; finds: Named }>

/** The path of one of the service's secret files. */
export const kept = ({ directory }: DoctorOptions, file: string) => join(directory, 'data', file)

/** All secrets that the doctor must not print. */
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
 * Diagnoses a service, and repeats that while the service's database doesn't answer in time, as on a busy machine.
 *
 * @param expected matches the expected finding, which may itself say that the database was too slow
 */
export const diagnosed = (options: DoctorOptions, expected?: RegExp) =>
  soon(async () => {
    const findings = await diagnose({ pace: PACE, ...options })
    const tardy = findings.find(({ message }) => /database within \d+ ms/.test(message))
    if (tardy && !expected?.test(tardy.message)) throw new Error(tardy.message)
    return findings
  })

/** Checks that the doctor finds the planted fault and no other, and prints no secret. */
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
