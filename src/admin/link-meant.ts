import { linkProblem } from '../announcement.ts'

/** A host as people write one: `mein-laden.de`, `www.example.co.uk:8080`. */
const HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:(\p{L}{2,})|xn--[a-z\d-]+)(?::\d+)?$/iu
/** What ends a name with a dot in it that is a file. Countries have some of these too, and fewer shops. */
const FILES = new Set(
  'html htm xhtml php asp aspx jsp cgi pdf txt md doc docx xls xlsx csv json xml rss zip jpg jpeg png gif svg webp avif ico mp3 mp4 mov webm js css'.split(
    ' ',
  ),
)

/** What somebody means who leaves the `https://` of a site away: a link, or `mail` for an address of mail. */
export function linkMeant(slug: string): { link: string } | 'mail' | undefined {
  const written = slug.trim()
  const [start = ''] = written.split(/[/?#]/, 1)
  const [user, host = start] = start.includes('@') ? start.split('@', 2) : []
  const found = HOST.exec(host)
  if (!found) return undefined
  if (user) return 'mail'
  const [, ending] = found
  if (ending && FILES.has(ending.toLowerCase()) && !/^www\./i.test(host)) return undefined
  const link = `https://${written}`
  return linkProblem(link) === undefined ? { link } : undefined
}
