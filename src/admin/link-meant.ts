import { linkProblem } from '../announcement.ts'

/** A host as people write one: `mein-laden.de`, `www.example.co.uk:8080`. */
const HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:(\p{L}{2,})|xn--[a-z\d-]+)(?::\d+)?$/iu
/** What ends a name with a dot in it that is a file. Countries have some of these too, and fewer shops. */
const FILES = new Set(
  'html htm xhtml php asp aspx jsp cgi pdf txt md doc docx xls xlsx csv json xml rss zip jpg jpeg png gif svg webp avif ico mp3 mp4 mov webm js css'.split(
    ' ',
  ),
)

/**
 * What somebody means who leaves the `https://` of a site away, or writes what no link may have (contract A7).
 *
 * @returns the link, and whether what is written is one too, to a page of their own site; or `mail` for an address of mail
 */
export function linkMeant(slug: string): { link: string; isLink: boolean } | 'mail' | undefined {
  const written = slug.trim()
  const isLink = linkProblem(written) === undefined
  const encoded = written.replaceAll('\\', '/').replace(/\s+/g, '%20')
  const short = encoded.replace(/^\/\/+/, '')
  const host = hostIn(short)
  if (host === 'mail') return host
  const link = host === undefined ? encoded.replace(/^\/+/, '/') : `https://${short}`
  return link !== written && linkProblem(link) === undefined ? { link, isLink } : undefined
}

/** The link that takes the place of one that is written, unless its author says otherwise. */
export function linkInstead(slug: string): string | undefined {
  const meant = linkMeant(slug)
  return typeof meant === 'object' && meant.isLink ? meant.link : undefined
}

/** The host that a link begins with, if that looks like one. */
function hostIn(link: string): string | undefined {
  const [start = ''] = link.split(/[/?#]/, 1)
  const [user, host = start] = start.includes('@') ? start.split('@', 2) : []
  const found = HOST.exec(host)
  if (!found) return undefined
  if (user) return 'mail'
  const [, ending] = found
  const isFile = ending !== undefined && FILES.has(ending.toLowerCase()) && !/^www\./i.test(host)
  return isFile ? undefined : host
}
