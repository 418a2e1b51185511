import type { Metadata } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Bar } from '@/components/bar'
import { localeFor, names, tags } from '@/locales'
import '../globals.css'

type Props = { children: ReactNode; params: Promise<{ locale: string }> }

export const generateStaticParams = () => tags.map((locale) => ({ locale }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { title, description } = localeFor((await params).locale)
  return { title, description }
}

/** How often this process rendered a layout: it stands still while pages come from Next's cache. */
let rendered = 0

export default async function Layout({ children, params }: Props) {
  const { locale } = await params
  const { fallback, nav, colophon, rendered: label } = localeFor(locale)
  rendered++
  return (
    <html lang={locale}>
      <body className="min-h-dvh bg-paper text-ink antialiased">
        <div className="mx-auto flex min-h-dvh max-w-5xl flex-col px-5 sm:px-8">
          <header className="pt-4">
            <Bar fallback={fallback} locale={locale} />
            <div className="mt-6 flex items-center justify-between gap-4 text-sm">
              <Link href={`/${locale}`} className="font-display text-xl tracking-tight">
                Vesper
              </Link>
              <nav className="flex items-center gap-5 text-quiet sm:gap-7">
                <Link href={`/${locale}/journal`} className="transition-colors hover:text-ink">
                  {nav.journal}
                </Link>
                <Link href={`/${locale}/live`} className="transition-colors hover:text-ink">
                  {nav.live}
                </Link>
                <ul
                  aria-label={nav.languages}
                  className="flex gap-3 border-l border-hair pl-5 sm:pl-7"
                >
                  {tags.map((tag) => (
                    <li key={tag}>
                      <a
                        href={`/${tag}`}
                        lang={tag}
                        hrefLang={tag}
                        title={names[tag]}
                        aria-current={tag === locale ? 'true' : undefined}
                        className="uppercase transition-colors hover:text-ink aria-[current]:text-ink"
                      >
                        {tag}
                      </a>
                    </li>
                  ))}
                </ul>
              </nav>
            </div>
          </header>
          <main className="flex-1">{children}</main>
          <footer className="flex flex-wrap justify-between gap-x-8 gap-y-2 border-t border-hair py-6 text-xs text-quiet">
            <p>{colophon}</p>
            <p>
              {label}: <span data-rendered={rendered}>{rendered}</span>
            </p>
          </footer>
        </div>
      </body>
    </html>
  )
}
