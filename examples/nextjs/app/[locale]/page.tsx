import { Lamp } from '@/components/lamp'
import { localeFor } from '@/locales'

export default async function Page({ params }: { params: Promise<{ locale: string }> }) {
  const { hero, how, offer } = localeFor((await params).locale)
  return (
    <>
      <section className="grid items-center gap-x-10 py-10 sm:py-16 md:grid-cols-[1.15fr_1fr]">
        <div>
          <h1 className="font-display text-[2.6rem]/[1.06] tracking-[-0.02em] text-balance sm:text-6xl/[1.04]">
            {hero.heading}
          </h1>
          <p className="mt-6 max-w-md text-lg/7 text-pretty text-quiet">{hero.lead}</p>
          <p className="mt-9 flex flex-wrap items-center gap-x-5 gap-y-3">
            <a
              href="#coupon"
              className="rounded-full bg-ink px-5 py-2.5 text-sm font-medium text-paper transition-opacity hover:opacity-85"
            >
              {hero.action}
            </a>
            <span className="text-sm text-quiet">{hero.aside}</span>
          </p>
        </div>
        <Lamp />
      </section>

      <section id="how" className="scroll-mt-8 border-t border-hair py-16 sm:py-20">
        <dl className="grid gap-x-10 gap-y-10 sm:grid-cols-3">
          {how.map(({ title, text }) => (
            <div key={title}>
              <dt className="font-display text-xl tracking-tight">{title}</dt>
              <dd className="mt-3 text-[0.9375rem]/6 text-quiet">{text}</dd>
            </div>
          ))}
        </dl>
      </section>

      <section
        id="coupon"
        className="mb-20 grid scroll-mt-8 gap-8 rounded-3xl border border-hair bg-card p-7 sm:grid-cols-[1fr_auto] sm:items-center sm:p-10"
      >
        <div>
          <h2 className="font-display text-3xl tracking-tight">{offer.title}</h2>
          <p className="mt-3 max-w-md text-[0.9375rem]/6 text-quiet">{offer.text}</p>
        </div>
        <div className="sm:text-right">
          <p className="font-display text-4xl tracking-tight tabular-nums">{offer.price}</p>
          <p className="mt-1 text-xs text-quiet">{offer.note}</p>
          <button
            type="button"
            className="mt-5 rounded-full border border-hair px-5 py-2.5 text-sm font-medium transition-colors hover:border-ink"
          >
            {offer.action}
          </button>
        </div>
      </section>
    </>
  )
}
