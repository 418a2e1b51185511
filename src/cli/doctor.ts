import { styleText } from 'node:util'
import { dim } from './describe.ts'
import { diagnose } from './doctor/diagnose.ts'
import type { Finding } from './doctor/finding.ts'
import { OPTIONS } from './options.ts'
import { addressIn } from './service/address.ts'
import { escapeControls } from './terminal.ts'
import { type Output, readArgs } from './usage.ts'

const COLOURS = { pass: 'green', skip: 'dim', warn: 'yellow', fail: 'red' } as const
const CHECK_WIDTH = 15

/** `placard doctor`: runs every check on a service. The exit code is 1 if a check failed. */
export async function doctor(args: string[]): Promise<Output> {
  const { values } = readArgs(args, OPTIONS.doctor)
  for (const site of values.site ?? []) addressIn(site, '--site')
  const here = { environment: process.env, directory: process.cwd() }
  const findings = await diagnose({ ...here, url: values.url, sites: values.site })
  const ok = findings.every(({ status }) => status !== 'fail')
  if (!ok) process.exitCode = 1
  return values.json ? { ok, findings } : describe(findings)
}

function describe(findings: readonly Finding[]): string {
  const lines = escapeControls(findings).flatMap(({ check, status, message, fix }) => {
    const line = `${styleText(COLOURS[status], status)}  ${check.padEnd(CHECK_WIDTH)}${message}`
    return fix === undefined ? [line] : [line, `      ${' '.repeat(CHECK_WIDTH)}→ ${fix}`]
  })
  const count = (wanted: Finding['status']) =>
    findings.filter(({ status }) => status === wanted).length
  const [failed, warned, skipped] = [count('fail'), count('warn'), count('skip')]
  const sum = failed + warned === 0 ? 'No problems found' : `${failed} failed, ${warned} warned`
  return [...lines, '', dim(`${sum}, ${skipped} skipped.`)].join('\n')
}
