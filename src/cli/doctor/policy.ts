/** A file that a page loads. */
export interface Load {
  directive: 'script-src' | 'connect-src'
  url: URL
  /** The tag's. */
  nonce?: string | undefined
}

/**
 * The directive that forbids it; `undefined` if every policy allows it.
 *
 * @param texts headers and `<meta>`s; a header may hold several policies, separated by commas
 */
export function forbiddenBy(texts: readonly string[], load: Load, page: URL): string | undefined {
  for (const text of texts.flatMap((text) => text.split(','))) {
    const directives = text.split(';').map((part) => part.trim().split(/\s+/))
    const names = [`${load.directive}-elem`, load.directive, 'default-src']
    // If a name is repeated, the first counts.
    const found = names.map((name) => directives.find(([it]) => it?.toLowerCase() === name))
    const [name, ...sources] = found.find((it) => it !== undefined) ?? []
    if (name === undefined || sources.includes(`'nonce-${load.nonce}'`)) continue
    const isStrict = load.directive === 'script-src' && sources.includes("'strict-dynamic'")
    if (isStrict || !sources.some((it) => matches(it, load.url, page))) return name
  }
  return undefined
}

/** Whether a source of a policy matches an address (CSP 3, 6.7.2). */
function matches(source: string, url: URL, page: URL): boolean {
  if (source === '*') return true
  if (source === "'self'") return url.host === page.host && isUpgrade(page.protocol, url)
  if (/^[a-z][a-z\d+.-]*:$/i.test(source)) return isUpgrade(source.toLowerCase(), url)
  const [, scheme = page.protocol, host = '', port, path = ''] =
    /^(?:([a-z][a-z\d+.-]*:)\/\/)?([^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(source) ?? []
  const isHost = host.startsWith('*.')
    ? url.hostname.endsWith(host.slice(1).toLowerCase())
    : url.hostname === host.toLowerCase()
  const usual = url.protocol === 'https:' ? '443' : '80'
  const isPort = port === '*' || (port ?? usual) === (url.port || usual)
  const isPath = path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path
  return isHost && isPort && (path === '' || isPath) && isUpgrade(scheme.toLowerCase(), url)
}

/** A source for http allows https too. */
const isUpgrade = (scheme: string, { protocol }: URL) =>
  scheme === protocol || (scheme === 'http:' && protocol === 'https:')
