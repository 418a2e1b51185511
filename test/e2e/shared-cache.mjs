/** A cache that several processes of Next.js share, as a platform has one: files in a directory. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'

const { SHARED_CACHE = '/tmp/placard-shared-cache' } = process.env

const fileOf = (kind, key) =>
  join(SHARED_CACHE, `${kind}-${createHash('sha256').update(key).digest('hex')}`)

function read(kind, key) {
  try {
    return deserialize(readFileSync(fileOf(kind, key)))
  } catch {
    return undefined
  }
}

function write(kind, key, value) {
  mkdirSync(SHARED_CACHE, { recursive: true })
  const draft = `${fileOf(kind, key)}.${crypto.randomUUID()}`
  writeFileSync(draft, serialize(value))
  renameSync(draft, fileOf(kind, key))
}

function updateTags(tags, durations) {
  const now = Date.now()
  const expired = durations?.expire === undefined ? now : now + durations.expire * 1000
  for (const tag of tags) write('tag', tag, expired)
}

/** A tag may expire in the future: then what was made before that is over from that time on. */
const isOver = (tags, madeAt) =>
  tags.some((tag) => {
    const expired = read('tag', tag)
    return expired !== undefined && expired <= Date.now() && expired > madeAt
  })

/** For `cacheHandlers` in next.config: output of `use cache`. */
export const useCache = {
  async get(key, softTags) {
    const entry = read('use', key)
    if (!entry || isOver([...entry.tags, ...softTags], entry.timestamp)) return undefined
    return { ...entry, value: new Blob([entry.value]).stream() }
  },
  async set(key, pending) {
    const { value, ...entry } = await pending
    write('use', key, { ...entry, value: new Uint8Array(await new Response(value).arrayBuffer()) })
  },
  async refreshTags() {},
  getExpiration: async () => Number.POSITIVE_INFINITY,
  updateTags: async (tags, durations) => updateTags(tags, durations),
}

/** For `cacheHandler`: pages. */
export class Pages {
  async get(key) {
    const entry = read('page', key)
    const tags = entry?.value?.headers?.['x-next-cache-tags']?.split(',') ?? []
    return !entry || isOver(tags, entry.lastModified) ? null : entry
  }
  async set(key, value, { cacheControl }) {
    write('page', key, { value, lastModified: Date.now(), cacheControl })
  }
  async revalidateTag(tags, durations) {
    updateTags([tags].flat(), durations)
  }
  resetRequestCache() {}
}
