/** One Content-Security-Policy: what each directive allows. */
export type Policy = ReadonlyMap<string, readonly string[]>

/** @param texts headers and `<meta>`s; a header may hold several, separated by commas */
export function policiesIn(texts: readonly string[]): Policy[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      const policy = new Map<string, readonly string[]>()
      for (const directive of text.split(';')) {
        const [name = '', ...sources] = directive.trim().split(/\s+/)
        // The first of a name counts.
        if (name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources)
      }
      return policy
    })
    .filter((policy) => policy.size > 0)
}

/** What a page wants to load, and where from. */
export interface Load {
  directive: 'script-src' | 'connect-src'
  url: URL
  /** Of the tag. */
  nonce?: string | undefined
  integrity?: string | undefined
}

/** The directive that forbids it; `undefined` if the policy allows it. */
export function forbiddenBy(policy: Policy, load: Load, page: URL): string | undefined {
  const names = [`${load.directive}-elem`, load.directive, 'default-src']
  const name = names.find((it) => policy.has(it))
  const sources = name === undefined ? undefined : policy.get(name)
  if (name === undefined || sources === undefined) return undefined
  const byTag = sources.some((source) => {
    const [, kind = '', value = ''] = /^'(nonce|sha\d+)-([^']+)'$/i.exec(source) ?? []
    if (kind.toLowerCase() === 'nonce') return load.nonce === value
    return (
      value !== '' && (load.integrity ?? '').split(/\s+/).includes(`${kind.toLowerCase()}-${value}`)
    )
  })
  if (byTag) return undefined
  const isStrict = load.directive === 'script-src' && sources.includes("'strict-dynamic'")
  return !isStrict && sources.some((source) => matches(source, load.url, page)) ? undefined : name
}

/** Whether a source of a policy covers an address (CSP 3, 6.7.2). */
function matches(source: string, url: URL, page: URL): boolean {
  if (source === '*') return /^https?:$/.test(url.protocol)
  if (source.toLowerCase() === "'self'")
    return url.host === page.host && isUpgrade(page.protocol, url)
  const scheme = /^([a-z][a-z\d+.-]*:)$/i.exec(source)?.[1]
  if (scheme) return isUpgrade(scheme.toLowerCase(), url)
  const [, given, host = '', port, path = ''] =
    /^(?:([a-z][a-z\d+.-]*:)\/\/)?([^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(source) ?? []
  if (host === '' || !isUpgrade(given?.toLowerCase() ?? page.protocol, url)) return false
  const isHost = host.startsWith('*.')
    ? url.hostname.endsWith(host.slice(1).toLowerCase())
    : url.hostname === host.toLowerCase()
  const isPort = port === '*' || (port ?? '') === url.port || isDefault(port, url)
  const isPath =
    path === '' || (path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path)
  return isHost && isPort && isPath
}

const isDefault = (port: string | undefined, { protocol, port: own }: URL) =>
  own === '' && (port === '443' || (port === '80' && protocol === 'http:'))

/** A source for http allows https too. */
const isUpgrade = (scheme: string, { protocol }: URL) =>
  scheme === protocol || (scheme === 'http:' && protocol === 'https:')
