import ipaddr from 'ipaddr.js'

/** A mark by which a request can be recognised. */
const PROBE = /^[\w-]{16,64}$/
const MAX_PROBES = 32

/**
 * Whether the request comes from `placard doctor`, which isn't a visitor.
 *
 * @param header returns the value of a header by its name in lower case
 */
export function isDoctor(header: (name: string) => string | null): boolean {
  return /\bplacard-doctor\b/.test(header('user-agent') ?? '')
}

export type Arrivals = ReturnType<typeof createArrivals>

/**
 * Counts the entries of X-Forwarded-For in requests. `TRUST_PROXY` should be their number when the client itself sent
 * none (contract A2).
 *
 * Requests with a bearer token don't count, because scripts send them past the proxy. Anybody may send a mark, so only
 * the last few are remembered.
 */
export function createArrivals() {
  /** How many requests came in all, and how many with X-Forwarded-For. */
  const counts = { all: 0, forwarded: 0 }
  const probes = new Map<string, number>()

  return {
    counts,
    /** @param header returns the value of a header by its name in lower case */
    note(header: (name: string) => string | null, probe: string | null = null) {
      const entries = header('x-forwarded-for')?.split(',').length ?? 0
      if (probe !== null && PROBE.test(probe)) {
        probes.set(probe, entries)
        for (const oldest of probes.keys()) if (probes.size > MAX_PROBES) probes.delete(oldest)
      }
      if (header('authorization') !== null || isDoctor(header)) return
      counts.all++
      if (entries > 0) counts.forwarded++
    },
    /** How many entries the request with this mark had; `undefined` if none came. */
    entriesOf: (probe: string) => probes.get(probe),
  }
}

/** The sender of a request, as far as the host knows. */
export interface Sender {
  address?: string | undefined
  forwarded?: string | null | undefined
}

/**
 * The address under which requests are counted together (contract A2).
 *
 * Only the last `proxies` entries of `X-Forwarded-For` come from our own proxies. Entries further left are the client's
 * own claim, and are ignored.
 *
 * @param socket the peer's address, or an empty string if the runtime doesn't give it
 * @param forwarded the value of `X-Forwarded-For`, several headers joined by commas
 * @param proxies how many trusted proxies are in front
 * @returns IPv4 in dotted form, the /64 of any other IPv6 address, or `socket` as it is
 */
export function clientAddress(socket: string, forwarded: string | null, proxies: number): string {
  if (proxies > 0 && forwarded !== null) {
    const entry = forwarded.split(',').at(-proxies)
    const network = entry === undefined ? undefined : networkOf(entry.trim())
    if (network) return network
  }
  return networkOf(socket) ?? socket
}

/** Reads `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1` and `[2001:db8::1]:567`, because proxies write all of them. */
function networkOf(entry: string): string | undefined {
  const bare = entry.replace(/^\[([^\]]+)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined
  const address = ipaddr.process(bare)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
