import ipaddr from 'ipaddr.js'

/** The format of `?doctor=`, which lets the doctor ask later how many `X-Forwarded-For` entries a request had. */
const PROBE = /^[\w-]{16,64}$/
const MAX_PROBES = 32

/** Returns the value of a request's header, by its name in lower case, or `null`. */
export type HeaderOf = (name: string) => string | null

/** Whether the request comes from `placard doctor`, whose requests aren't counted. */
export function isDoctor(header: HeaderOf): boolean {
  return /\bplacard-doctor\b/.test(header('user-agent') ?? '')
}

export type Arrivals = ReturnType<typeof createArrivals>

/**
 * Counts the requests that came through a proxy. To check `TRUST_PROXY`, the doctor sends a request without
 * `X-Forwarded-For`, and compares the setting with the number of entries that proxies have added (contract A2).
 *
 * Requests with a bearer token aren't counted, because scripts often bypass the proxy. Reads that the server answers
 * from memory aren't counted either. Anyone can send a `?doctor=`, so only the last 32 values are remembered.
 */
export function createArrivals() {
  /** How many requests were counted, and how many of them had `X-Forwarded-For`. */
  const counts = { all: 0, forwarded: 0 }
  const probes = new Map<string, number>()

  return {
    counts,
    note(header: HeaderOf, probe: string | null = null) {
      const entries = header('x-forwarded-for')?.split(',').length ?? 0
      if (probe !== null && PROBE.test(probe)) {
        probes.set(probe, entries)
        for (const oldest of probes.keys()) if (probes.size > MAX_PROBES) probes.delete(oldest)
      }
      if (header('authorization') !== null || isDoctor(header)) return
      counts.all++
      if (entries > 0) counts.forwarded++
    },
    /** Returns how many `X-Forwarded-For` entries a request with this `?doctor=` value had, or `undefined`. */
    entriesOf: (probe: string) => probes.get(probe),
  }
}

/** The peer's address and the `X-Forwarded-For` header of a request. */
export interface Sender {
  address?: string | undefined
  forwarded?: string | null | undefined
}

/**
 * The key under which the limiter counts a client's requests (contract A2).
 *
 * Only the last `proxies` entries of `X-Forwarded-For` come from trusted proxies. The client may have forged any
 * entries before those, so they are ignored.
 *
 * @param socket the peer's address, or an empty string if the runtime doesn't provide it
 * @param forwarded the value of `X-Forwarded-For`, with several headers joined by commas
 * @param proxies how many trusted proxies are in front of the service
 * @returns an IPv4 address (plain or mapped) in dotted form; the /64 of an IPv6 address; otherwise `socket` unchanged
 */
export function clientAddress(socket: string, forwarded: string | null, proxies: number): string {
  if (proxies > 0 && forwarded !== null) {
    const entry = forwarded.split(',').at(-proxies)
    const network = entry === undefined ? undefined : networkOf(entry.trim())
    if (network) return network
  }
  return networkOf(socket) ?? socket
}

/** Reads `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1` and `[2001:db8::1]:567`, because proxies use all these forms. */
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
