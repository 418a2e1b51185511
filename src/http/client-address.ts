import ipaddr from 'ipaddr.js'

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
