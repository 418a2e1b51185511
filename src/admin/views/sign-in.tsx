import { fill } from '../../core/messages.ts'
import type { Problem } from '../../core/problem.ts'
import type { Words } from '../words.ts'
import type { NoticeProps } from './controls.tsx'
import { type Frame, Shell } from './shell.tsx'

/** The sign-in page. Its script redeems the code of a link (contract O1). */
export function SignIn(props: Frame & { notice?: NoticeProps | undefined; command: string }) {
  const { words, base, notice, command } = props
  const { signIn } = words
  return (
    <Shell {...props} title={signIn.title} notice={notice}>
      <div class="sign-in" data-sign-in>
        <h1>{signIn.title}</h1>
        <p>{signIn.how}</p>
        <pre class="code" dir="ltr" translate="no">
          <code>{command}</code>
        </pre>
        <p class="busy" role="status" hidden>
          {signIn.busy}
        </p>
        <form method="post" action={`${base}/session`}>
          <label for="secret">{signIn.secret}</label>
          <div class="row">
            <input
              id="secret"
              name="secret"
              type="password"
              autocomplete="current-password"
              spellcheck={false}
              dir="ltr"
              required
            />
            <button type="submit" class="primary">
              {signIn.submit}
            </button>
          </div>
        </form>
      </div>
    </Shell>
  )
}

/** Says why a request doesn't count as coming from a page of the admin (contract O3). */
function forbiddenBecause({ details }: Problem, { faults }: Words): string {
  const { origin, host } = details
  if (origin === undefined) return faults.foreign
  const isolated = (value: unknown) => `\u2068${value}\u2069`
  return fill(faults.otherHost, { origin: isolated(origin), host: isolated(host) })
}

/** The page for a request that failed before it reached a view. */
export function Failure({ problem, ...frame }: Frame & { problem: Problem }) {
  const { faults, nav } = frame.words
  const texts: Record<string, string> = {
    unavailable: faults.unavailable,
    forbidden: forbiddenBecause(problem, frame.words),
  }
  const text = texts[problem.code] ?? (problem.status >= 500 ? faults.unknown : problem.message)
  return (
    <Shell {...frame} title={String(problem.status)}>
      <div class="failure">
        <h1>{problem.status}</h1>
        <p>{text}</p>
        <p>
          <a href={frame.base}>{nav.announcement}</a>
        </p>
      </div>
    </Shell>
  )
}
