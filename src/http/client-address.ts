import ipaddr from 'ipaddr.js'

/** The sender of a request, as far as the host knows. */
export interface Sender {
  /** The peer's address. */
  address?: string | undefined
  /** The value of `X-Forwarded-For`. */
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
