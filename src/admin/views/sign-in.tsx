import type { ReactElement } from 'react'
import { type Frame, type Notice, Shell } from './shell.tsx'

/** Without a session. The script redeems the code of a link; without script there is the form (contract O1). */
export function SignIn(
  props: Frame & { notice?: Notice | undefined; command: string },
): ReactElement {
  const { words, base, notice, command } = props
  const { signIn } = words
  return (
    <Shell {...props} title={signIn.title} notice={notice}>
      <div className="sign-in" data-sign-in>
        <h1>{signIn.title}</h1>
        {/* A script takes the code out of that link. */}
        <p className="with-script">{signIn.how}</p>
        <pre className="code with-script" dir="ltr" translate="no">
          <code>{command}</code>
        </pre>
        <p className="busy" role="status" hidden>
          {signIn.busy}
        </p>
        <form method="post" action={`${base}/session`}>
          <label htmlFor="secret">
            <span className="with-script">{signIn.secret}</span>
            <span className="without-script">{signIn.secretAlone}</span>
          </label>
          <div className="row">
            <input
              id="secret"
              name="secret"
              type="password"
              autoComplete="current-password"
              spellCheck={false}
              dir="ltr"
              required
            />
            <button type="submit" className="primary">
              {signIn.submit}
            </button>
          </div>
          <p className="hint without-script">{signIn.secretNote}</p>
        </form>
      </div>
    </Shell>
  )
}
