import { Live } from '@/components/live'
import { localeFor } from '@/locales'

export default async function Page({ params }: { params: Promise<{ locale: string }> }) {
  const { title, text } = localeFor((await params).locale).live
  return (
    <section className="max-w-xl py-16 sm:py-20">
      <Live />
      <h1 className="font-display text-4xl tracking-tight">{title}</h1>
      <p className="mt-5 text-lg/7 text-pretty text-quiet">{text}</p>
    </section>
  )
}
