/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import { type Frame, type Notice, Shell } from './shell.tsx'

/** Without a session. The script redeems the code of a link; without script there is the form (contract O1). */
export function SignIn(
  props: Frame & { notice?: Notice | undefined; command: string },
): JSX.Element {
  const { words, base, notice, command } = props
  const { signIn } = words
  return (
    <Shell {...props} title={signIn.title} notice={notice}>
      <div class="sign-in" data-sign-in>
        <h1>{signIn.title}</h1>
        {/* A script takes the code out of that link. */}
        <p class="with-script">{signIn.how}</p>
        <pre class="code with-script" dir="ltr" translate="no">
          <code>{command}</code>
        </pre>
        <p class="busy" role="status" hidden>
          {signIn.busy}
        </p>
        <form method="post" action={`${base}/session`}>
          <label for="secret">
            <span class="with-script">{signIn.secret}</span>
            <span class="without-script">{signIn.secretAlone}</span>
          </label>
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
          <p class="hint without-script">{signIn.secretNote}</p>
        </form>
      </div>
    </Shell>
  )
}
