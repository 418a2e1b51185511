import { localeFor } from '@/locales'

export default async function Page({ params }: { params: Promise<{ locale: string }> }) {
  const { title, posts } = localeFor((await params).locale).journal
  return (
    <section className="max-w-2xl py-16 sm:py-20">
      <h1 className="font-display text-4xl tracking-tight">{title}</h1>
      <ul className="mt-10 divide-y divide-hair border-y border-hair">
        {posts.map((post) => (
          <li
            key={post.title}
            className="flex flex-col gap-1 py-5 sm:flex-row sm:items-baseline sm:gap-8"
          >
            <span className="w-32 shrink-0 text-sm text-quiet">{post.date}</span>
            <span className="text-lg/6">{post.title}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
