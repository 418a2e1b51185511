/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Session } from '../sessions.ts'
import { LANGUAGES, type Words } from '../words.ts'

/** The views of the admin, in the order of its navigation. */
export const VIEWS = ['announcement', 'history', 'site'] as const
export type ViewName = (typeof VIEWS)[number]

/** What every page of the admin knows. */
export interface Frame {
  words: Words
  /** The path of the admin: `/admin`. */
  base: string
  session: Session | null
}

export const pathOf = (base: string, view: ViewName) =>
  view === 'announcement' ? base : `${base}/${view}`

interface ShellProps extends Frame {
  title: string
  view?: ViewName
  /** What has just happened, or why it could not. */
  notice?: Notice | undefined
  children: Child
}

export interface Notice {
  kind: 'done' | 'fault'
  text: string
  /** The instant that the text leads up to. */
  time?: Child
  more?: Child
}

/** The document around a view. */
export function Shell(props: ShellProps): JSX.Element {
  const { words, base, session, title, view, notice, children } = props
  return (
    <html lang={words.tag} dir={words.dir}>
      {/* biome-ignore lint/style/noHeadElement: this is not a page of Next's */}
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
        <a class="skip" href="#content">
          {words.skip}
        </a>
        <header class="top">
          <a class="mark" href={base}>
            <span class="mark-sign" aria-hidden="true" />
            Placard
          </a>
          {session && (
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
              <form class="who" method="post" action={`${base}/signout`} data-deed="leave">
                {session.name !== null && <bdi>{session.name}</bdi>}
                <button type="submit" class="quiet">
                  {words.signOut}
                </button>
              </form>
            </>
          )}
        </header>
        <main id="content" data-view={view}>
          {notice && <Said {...notice} />}
          {children}
        </main>
        <footer>
          <nav class="languages" aria-label={words.languages}>
            {LANGUAGES.map(({ tag, name }) => (
              <a
                key={tag}
                // Where a form was answered, there is nothing to get.
                href={`${pathOf(base, view ?? 'announcement')}?lang=${tag}`}
                lang={tag}
                hreflang={tag}
                aria-current={tag === words.tag ? 'true' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
        </footer>
        <div class="said" role="status" />
        {session && (
          <>
            <p class="away" role="status" hidden>
              {words.faults.away}
            </p>
            <template id="unreached">
              <Said kind="fault" text={words.faults.unreached} />
            </template>
          </>
        )}
      </body>
    </html>
  )
}

function Said({ kind, text, time, more }: Notice): JSX.Element {
  return (
    <div class="notice" data-kind={kind} role={kind === 'fault' ? 'alert' : 'status'}>
      <p>
        {text}
        {time && <> {time}</>}
      </p>
      {more}
    </div>
  )
}

const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="5" width="14" height="6" rx="3" fill="none" stroke="#6366f1" stroke-width="1.5"/></svg>',
)}`
