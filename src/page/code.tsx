import type { ReactElement, ReactNode } from 'react'
import type { Locale } from './locales.ts'

/** Code to copy. One click selects all of it. With a script, there is a button too. */
export function Code({ locale, children }: { locale: Locale; children: ReactNode }): ReactElement {
  return (
    <div className="code" dir="ltr">
      <button type="button" data-copied={locale.page.copied}>
        {locale.page.copy}
      </button>
      <pre translate="no">
        <code>{children}</code>
      </pre>
    </div>
  )
}
