import type { ReactElement, ReactNode } from 'react'
import type { Locale } from './locales.ts'

/** Something to copy. Without a script it is selected whole by one click; the button appears with one. */
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
