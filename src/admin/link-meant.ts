import { linkFault } from '../core/rules.ts'
import { leadsAlike } from '../http/warnings.ts'

/** A host as people write it: `mein-laden.de`, `www.example.co.uk:8080`. */
const HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:(\p{L}{2,})|xn--[a-z\d-]+)(?::\d+)?$/iu
/** Endings of file names. Some are also top-level domains, but fewer shops have those. */
const FILES =
  /^(?!www\.).*\.(x?html?|php|aspx?|jsp|cgi|pdf|txt|md|docx?|xlsx?|csv|json|xml|rss|zip|jpe?g|png|gif|svg|webp|avif|ico|mp[34]|mov|webm|js|css)$/i

/**
 * The link that is meant without its `https://` or its leading slash, or instead of a forbidden one (contract A7, A16).
 * The composer says where it leads.
 */
export function linkMeant(slug: string): string {
  const written = slug.trim()
  const slashed = written.replaceAll('\\', '/').replace(/^(https?):\/*(?=[^/])/i, '$1://')
  const encoded = slashed.replace(/\s+/g, '%20')
  const short = encoded.replace(/^\/\/+/, '')
  const [start = ''] = short.split(/[/?#]/, 1)
  const [user, host = start] = start.includes('@') ? start.split('@', 2) : []
  const isHost = HOST.test(host) && !FILES.test(host)
  // It is refused, and the message says what a link is.
  if (user && isHost) return `mailto:${written}`
  // An address that somebody begins to type isn't a path on this site.
  const isBegun = ['https://', 'http://', 'www.'].some((one) =>
    one.startsWith(written.toLowerCase()),
  )
  const meant = isHost
    ? `https://${short}`
    : linkFault(written) !== undefined
      ? encoded.replace(/^\/+/, '/')
      : isBegun || leadsAlike(written)
        ? written
        : // As written, it would lead elsewhere from each page.
          `/${written.replace(/^(\.{1,2}(\/|$))+/, '')}`
  return linkFault(meant) === undefined ? meant : written
}
