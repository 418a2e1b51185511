import type { Child } from 'hono/jsx'
import { LANGUAGES, type Words } from '../words.ts'
import { type NoticeProps, Said } from './controls.tsx'

const VIEWS = ['announcement', 'history', 'site'] as const
export type ViewName = (typeof VIEWS)[number]

export interface Frame {
  words: Words
  base: string
  /** The signed-in person; `null` without a session. */
  visit: { name: string | null; asksName: boolean } | null
}

export const pathOf = (base: string, view: ViewName) =>
  view === 'announcement' ? base : `${base}/${view}`

interface ShellProps extends Frame {
  title: string
  view?: ViewName
  notice?: NoticeProps | undefined
  children: Child
}

/** The messages that the script shows by itself. */
const SAYS = ['signedOut', 'unsent', 'unsure', 'away', 'kept'] as const

export function Shell(props: ShellProps) {
  const { words, base, visit, title, view, notice, children } = props
  const ways: Partial<Record<(typeof SAYS)[number], Child>> = {
    signedOut: <a href={base}>{words.signIn.title}</a>,
    kept: (
      <a href={base} data-discard>
        {words.faults.discard}
      </a>
    ),
  }
  return (
    <html lang={words.tag} dir={words.dir}>
      {/* biome-ignore lint/style/noHeadElement: this isn't a Next.js page */}
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · Placard`}</title>
        <link rel="icon" href={FAVICON} />
        <link rel="stylesheet" href={`${base}/admin-page.css`} />
        <link rel="stylesheet" href={`${base}/placard.css`} />
        <script src={`${base}/admin-page.js`} defer />
      </head>
      <body data-base={base}>
        <a class="skip placard-hint" href="#content">
          {words.skip}
        </a>
        <header class="top">
          <a class="mark" href={base}>
            <span class="mark-sign" aria-hidden="true" />
            Placard
          </a>
          {visit && (
            <>
              <nav class="views">
                {VIEWS.map((name) => (
                  <a
                    key={name}
                    href={pathOf(base, name)}
                    aria-current={name === view ? 'page' : undefined}
                  >
                    {words.nav[name]}
                  </a>
                ))}
              </nav>
              <form class="who" method="post" action={`${base}/signout`}>
                {visit.name !== null && <bdi>{visit.name}</bdi>}
                <button type="submit" class="quiet">
                  {words.signOut}
                </button>
              </form>
            </>
          )}
        </header>
        <main id="content" data-view={view}>
          <noscript>{words.needsScript}</noscript>
          <Said {...notice} />
          {visit?.asksName && <AskName words={words} />}
          {children}
        </main>
        <footer>
          <nav class="languages" aria-label={words.languages}>
            {LANGUAGES.map(({ tag, name }) => (
              <a
                key={tag}
                // The script stores the chosen language. The link leads to the view, not to the current address,
                // because a page returned for a submitted form has no address of its own.
                href={pathOf(base, view ?? 'announcement')}
                lang={tag}
                hreflang={tag}
                aria-current={tag === words.tag ? 'true' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
        </footer>
        <div class="said placard-hint" role="status" />
        {visit &&
          SAYS.map((key) => (
            <template key={key} data-say={key}>
              <Said
                kind={key === 'kept' ? 'done' : 'fault'}
                text={words.faults[key]}
                more={ways[key]}
              />
            </template>
          ))}
      </body>
    </html>
  )
}

/** Asks for a name if nobody has answered in this session. The script shows the form after the first change. */
function AskName({ words: { you } }: { words: Words }) {
  return (
    <form class="ask-name" hidden>
      <label for="name">{you.ask}</label>
      <input id="name" autocomplete="name" maxlength={64} required dir="auto" />
      <button type="submit">{you.save}</button>
      <button type="button" class="quiet" data-skip-name>
        {you.skip}
      </button>
    </form>
  )
}

const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="5" width="14" height="6" rx="3" fill="none" stroke="#6366f1" stroke-width="1.5"/></svg>',
)}`
