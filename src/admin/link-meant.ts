import { linkFault } from '../core/rules.ts'
import { leadsAlike } from '../http/warnings.ts'

/** A host as people write one: `mein-laden.de`, `www.example.co.uk:8080`. */
const HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:(\p{L}{2,})|xn--[a-z\d-]+)(?::\d+)?$/iu
/** What ends a name with a dot in it that is a file. Countries have some of these too, and fewer shops. */
const FILES = new Set(
  'html htm xhtml php asp aspx jsp cgi pdf txt md doc docx xls xlsx csv json xml rss zip jpg jpeg png gif svg webp avif ico mp3 mp4 mov webm js css'.split(
    ' ',
  ),
)

/** How the address of a site begins, rather than the name of a page on this one. */
const BEGINNINGS = ['https://', 'http://', 'www.']

export interface LinkMeant {
  link: string
  /** Whether it is taken unless they say otherwise: hardly anybody means what is written. */
  isTaken: boolean
  /** The page of their own site that may be meant as well, where what is written is a link that looks like a site. */
  page?: string
}

/**
 * What somebody means who leaves the `https://` of a site away, or the slash of a page, or writes what no link may have
 * (contract A7, A16).
 *
 * @returns `mail` for an address of mail
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
  // It would lead elsewhere from each page.
  return otherThan(written, { link: `/${written.replace(/^(\.{1,2}(\/|$))+/, '')}`, isTaken: true })
}

function otherThan(written: string, meant: LinkMeant): LinkMeant | undefined {
  return meant.link === written || linkFault(meant.link) !== undefined ? undefined : meant
}

/** The link that takes the place of one that is written, unless its author says otherwise. */
export function linkInstead(slug: string): string | undefined {
  const meant = linkMeant(slug)
  return typeof meant === 'object' && meant.isTaken ? meant.link : undefined
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
