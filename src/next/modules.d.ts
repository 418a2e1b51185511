/** The part of Next.js 16 that this folder uses. With Next's own types, every checkout would have to install Next. */
declare module 'next/cache.js' {
  export function cacheTag(...tags: string[]): void
  export function cacheLife(life: import('./life.ts').Life): void
  export function revalidateTag(tag: string, life: { expire: number }): void
  export function unstable_cache<T>(
    read: () => Promise<T>,
    key: string[],
    options: { tags: string[]; revalidate: number },
  ): () => Promise<T>
}

declare module 'next/navigation.js' {
  export function useRouter(): { refresh(): void }
}
