import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { type DoctorOptions, diagnose } from '../../../src/cli/doctor/diagnose.ts'
import { API_SECRET, STRIPE_SECRET } from '../../harness.ts'
import { KEY } from '../../stripe/fake.ts'
import { PACE } from '../stage.ts'

/** What is found wrong, and what to do: `fail database`, its message, its fix. */
export type Named = [what: string, message: RegExp, fix: RegExp]

export interface Fault {
  name: string
  plant(): Promise<DoctorOptions>
  finds: Named | Named[]
}

/** A file that the service keeps. */
export const kept = ({ directory }: DoctorOptions, file: string) => join(directory, 'data', file)

/** Any printed part of it would be a leak. */
function secretsOf({ directory, environment }: DoctorOptions): string[] {
  const kept = ['event-api-secret', 'stripe-webhook-secret'].flatMap((name) => {
    try {
      return readFileSync(join(directory, 'data', name), 'utf8').trim() || []
    } catch {
      return []
    }
  })
  const given = Object.entries(environment).flatMap(([name, value]) =>
    /SECRET|KEY|TOKEN/.test(name) && value ? value : [],
  )
  return [...kept, ...given, API_SECRET, STRIPE_SECRET, KEY, 'a-password-of-ours']
}

/** Holds what is found against what was planted: nothing more, nothing less, and no secret. */
export async function expectNamed(
  { expect }: Pick<TestContext, 'expect'>,
  options: DoctorOptions,
  finds: Fault['finds'],
) {
  const findings = await diagnose({ settleMs: 0, pace: PACE, ...options })
  const found = findings.filter(({ status }) => status === 'warn' || status === 'fail')
  const named = (typeof finds[0] === 'string' ? [finds] : finds) as Named[]
  expect(found.map(({ status, check }) => `${status} ${check}`)).toEqual(named.map(([it]) => it))
  for (const [i, [, message, fix]] of named.entries()) {
    expect(found[i]?.message).toMatch(message)
    expect(found[i]?.fix).toMatch(fix)
    expect(`${found[i]?.message}${found[i]?.fix}`).not.toContain('\n')
  }
  const said = JSON.stringify(findings)
  for (const secret of secretsOf(options)) expect(said).not.toContain(secret)
}
