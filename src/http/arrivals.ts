import ipaddr from 'ipaddr.js'

/** The format of `?doctor=`, with which the doctor marks one of its requests, to ask later how it arrived. */
const PROBE = /^[\w-]{16,64}$/
const MAX_PROBES = 32

/**
 * Whether the request comes from `placard doctor`, which doesn't count as a visitor.
 *
 * @param header returns the value of a header by its name in lower case
 */
export function isDoctor(header: (name: string) => string | null): boolean {
  return /\bplacard-doctor\b/.test(header('user-agent') ?? '')
}

export type Arrivals = ReturnType<typeof createArrivals>

/**
 * Records how requests arrive. The doctor compares `TRUST_PROXY` with the number of entries in X-Forwarded-For on a
 * request whose client sent none itself (contract A2).
 *
 * It counts neither the reads that the server answers from memory nor requests with a bearer token, because scripts
 * often bypass the proxy. Anybody can send a probe, so only the last 32 are remembered.
 */
export function createArrivals() {
  /** How many requests were counted, and how many of them had X-Forwarded-For. */
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
    /** How many entries the probe with this value had; `undefined` if it hasn't arrived, or is forgotten. */
    entriesOf: (probe: string) => probes.get(probe),
  }
}

/** What the host knows about the sender of a request. */
export interface Sender {
  address?: string | undefined
  forwarded?: string | null | undefined
}

/**
 * The key under which the limiter counts a client's requests (contract A2).
 *
 * Only the last `proxies` entries of `X-Forwarded-For` come from our own proxies. Entries further left are the client's
 * own claim, and are ignored.
 *
 * @param socket the peer's address, or an empty string if the runtime doesn't give it
 * @param forwarded the value of `X-Forwarded-For`, with several headers joined by commas
 * @param proxies how many trusted proxies are in front
 * @returns an IPv4 address, even if IPv4-mapped, in dotted form; the /64 of an IPv6 address; else `socket` unchanged
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
