/** The doctor's checks, in the order of its report. Programs may rely on these names. */
export const CHECKS = [
  ...(['node', 'settings', 'service', 'secret', 'database', 'disk'] as const),
  ...(['listen', 'clock', 'streams', 'proxy', 'purge', 'notifications', 'stripe-key'] as const),
  ...(['shown', 'public', 'site'] as const),
]

export type Check = (typeof CHECKS)[number]

/** The statuses from best to worst. `skip` comes last, because a skipped check reveals nothing. */
const STATUSES = ['pass', 'warn', 'fail', 'skip'] as const

export interface Finding {
  check: Check
  status: (typeof STATUSES)[number]
  message: string
  /** What to do about the problem. Only warnings and failures have a fix. */
  fix?: string
  site?: string
}

/** Returns functions that create the findings of a check. */
export const by = (check: Check) => ({
  pass: (message: string): Finding => ({ check, status: 'pass', message }),
  skip: (message: string): Finding => ({ check, status: 'skip', message }),
  warn: (message: string, fix: string): Finding => ({ check, status: 'warn', message, fix }),
  fail: (message: string, fix: string): Finding => ({ check, status: 'fail', message, fix }),
})

const badness = ({ status }: Finding) => STATUSES.indexOf(status)

/** Keeps the better of each check's two findings, because a problem that goes away by itself isn't a fault. */
export function bestOf(before: readonly Finding[], now: readonly Finding[]): Finding[] {
  const best = new Map<string, Finding>()
  for (const finding of [...before, ...now]) {
    const what = `${finding.check} ${finding.site ?? ''}`
    const known = best.get(what)
    if (!known || badness(finding) < badness(known)) best.set(what, finding)
  }
  return [...best.values()]
}

/** Splits the description of an invalid setting or an unusable file into the problem and the fix. */
export function problemAndFix(fault: string): [message: string, fix: string] {
  const [message = '', ...fix] = fault.split(/\. (?=[A-Z])/)
  return [message, fix.join('. ') || CORRECT]
}

const CORRECT = 'Correct the setting in the environment or .env: see `placard help serve`'
