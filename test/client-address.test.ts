import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress } from '../src/http/client-address.ts'

const SOCKET = '198.51.100.7'

describe('contract A2: the client address', () => {
  it("is the socket's while no proxy is trusted, whatever the header", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4()), (header) => {
        expect(clientAddress(SOCKET, header, 0)).toBe(SOCKET)
      }),
    )
  })

  it('is the n-th entry from the right behind n proxies', () => {
    const header = '192.0.2.1, 192.0.2.2 ,192.0.2.3,  192.0.2.4'
    const behind = [1, 2, 3, 4].map((proxies) => clientAddress(SOCKET, header, proxies))
    expect(behind).toEqual([4, 3, 2, 1].map((last) => `192.0.2.${last}`))
  })

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('for the socket %s is %s', (socket, address) => {
    expect(clientAddress(socket, null, 0)).toBe(address)
  })

  it.each([
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::1]:4711', '2001:db8:0:0::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['[::ffff:192.0.2.1]:1', '192.0.2.1'],
    ['192.0.2', SOCKET],
    ['192.0.2.256', SOCKET],
    ['0xC0000201', SOCKET],
    ['unknown', SOCKET],
  ])('for the entry %s is %s', (entry, address) => {
    expect(clientAddress(SOCKET, entry, 1)).toBe(address)
  })

  it("can't be chosen by the client, whatever comes before the proxy's entry", () => {
    const front = fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), { maxLength: 5 })
    fc.assert(
      fc.property(front, fc.ipV4(), (client, proxy) => {
        expect(clientAddress(SOCKET, [...client, proxy].join(', '), 1)).toBe(proxy)
      }),
    )
  })

  it('has a bounded length for any header, and no header causes an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 32 }), (header, n) => {
        expect(clientAddress(SOCKET, header, n).length).toBeLessThan(50)
      }),
    )
  })
})
