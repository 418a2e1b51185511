import { linkFault } from '../core/rules.ts'
import { leadsAlike } from '../http/warnings.ts'

/** A host as people write it: `mein-laden.de`, `www.example.co.uk:8080`. */
const HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:(\p{L}{2,})|xn--[a-z\d-]+)(?::\d+)?$/iu
/** Endings of file names. Some are also top-level domains, but fewer shops have those. */
const FILES = new Set(
  'html htm xhtml php asp aspx jsp cgi pdf txt md doc docx xls xlsx csv json xml rss zip jpg jpeg png gif svg webp avif ico mp3 mp4 mov webm js css'.split(
    ' ',
  ),
)

/** The beginnings of an address, which is no path on this site. */
const BEGINNINGS = ['https://', 'http://', 'www.']

export interface LinkMeant {
  link: string
  /** Whether the corrected link is used without asking, because hardly anybody wants the written one. */
  isTaken: boolean
  /** The path that may also be meant if the text looks like a site. */
  page?: string
}

/**
 * The link that is probably meant without its `https://` or its leading slash, or instead of a forbidden one (contract A7,
 * A16).
 *
 * @returns `mail` for an e-mail address
 */
export function linkMeant(slug: string): LinkMeant | 'mail' | undefined {
  const written = slug.trim()
  const slashed = written.replaceAll('\\', '/').replace(/^(https?):\/*(?=[^/])/i, '$1://')
  const encoded = slashed.replace(/\s+/g, '%20')
  const short = encoded.replace(/^\/\/+/, '')
  const host = hostIn(short)
  if (host === 'mail') return host
  if (host !== undefined) {
    const isTaken = linkFault(written) === undefined
    return otherThan(written, {
      link: `https://${short}`,
      isTaken,
      ...(isTaken && { page: `/${short}` }),
    })
  }
  if (linkFault(written) !== undefined) {
    return otherThan(written, { link: encoded.replace(/^\/+/, '/'), isTaken: false })
  }
  const isBegun = BEGINNINGS.some((one) => one.startsWith(written.toLowerCase()))
  if (isBegun || leadsAlike(written)) return undefined
  // As written, it would lead elsewhere from each page.
  return otherThan(written, { link: `/${written.replace(/^(\.{1,2}(\/|$))+/, '')}`, isTaken: true })
}

function otherThan(written: string, meant: LinkMeant): LinkMeant | undefined {
  return meant.link === written || linkFault(meant.link) !== undefined ? undefined : meant
}

/** The link that replaces the written one, unless its author objects. */
export function linkInstead(slug: string): string | undefined {
  const meant = linkMeant(slug)
  return typeof meant === 'object' && meant.isTaken ? meant.link : undefined
}

/** The host at the beginning of a link, if it looks like one. */
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
