import { linkFault } from '../../core/rules.ts'
import { leadsAlike } from '../../http/warnings.ts'

/** A host as people write it: `mein-laden.de`, `www.example.co.uk:8080`. */
const HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:(\p{L}{2,})|xn--[a-z\d-]+)(?::\d+)?$/iu
/** Matches file names by extension. Some extensions are also top-level domains, but few shops use one of those. */
const FILES =
  /^(?!www\.).*\.(x?html?|php|aspx?|jsp|cgi|pdf|txt|md|docx?|xlsx?|csv|json|xml|rss|zip|jpe?g|png|gif|svg|webp|avif|ico|mp[34]|mov|webm|js|css)$/i

/**
 * Completes a link that lacks its `https://` or leading slash, and corrects a forbidden link if possible (contract A7,
 * A16). The composer shows where the resulting link leads.
 */
export function linkMeant(slug: string): string {
  const written = slug.trim()
  const slashed = written.replaceAll('\\', '/').replace(/^(https?):\/*(?=[^/])/i, '$1://')
  const encoded = slashed.replace(/\s+/g, '%20')
  const short = encoded.replace(/^\/\/+/, '')
  const [start = ''] = short.split(/[/?#]/, 1)
  const [user, host = start] = start.includes('@') ? start.split('@', 2) : []
  const isHost = HOST.test(host) && !FILES.test(host)
  // This is an email address. Validation rejects `mailto:` links, and its message says which links are allowed.
  if (user && isHost) return `mailto:${written}`
  // The beginning of `https://` or `www.` isn't a path on this site; the author is still typing.
  const isBegun = ['https://', 'http://', 'www.'].some((one) =>
    one.startsWith(written.toLowerCase()),
  )
  const allowed = linkFault(written) === undefined ? written : encoded.replace(/^\/+/, '/')
  const meant = isHost
    ? `https://${short}`
    : linkFault(allowed) !== undefined || isBegun || leadsAlike(allowed)
      ? allowed
      : // Without a leading slash, the link would lead to different pages from different folders.
        `/${allowed.replace(/^(\.{1,2}(\/|$))+/, '')}`
  return linkFault(meant) === undefined ? meant : written
}
