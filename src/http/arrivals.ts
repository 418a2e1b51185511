const LOOPBACK = /^(::ffff:)?127\.|^::1$/
/** A mark by which a request can be recognised. */
const PROBE = /^[\w-]{16,64}$/
const MAX_PROBES = 32

/**
 * Whether the request comes from `placard doctor`, which is no visitor.
 *
 * @param header returns the value of a header by its name in lower case
 */
export function isDoctor(header: (name: string) => string | null): boolean {
  return /\bplacard-doctor\b/.test(header('user-agent') ?? '')
}

/** How many requests came with how many entries of X-Forwarded-For. */
export interface ArrivalCounts {
  trusted: number
  /** Without an entry, from this machine. */
  local: number
  /** Without an entry, from elsewhere. */
  direct: number
  some: number
  /** With an entry for each trusted proxy. */
  enough: number
}

export interface Arrivals {
  readonly counts: Readonly<ArrivalCounts>
  /** @param header returns the value of a header by its name in lower case */
  note(header: (name: string) => string | null, address: string, probe?: string | undefined): void
  /** How many entries the request with this mark had; `undefined` if none came. */
  entriesOf(probe: string): number | undefined
}

/**
 * Counts the entries of X-Forwarded-For in requests. `TRUST_PROXY` should be their number in a request whose client
 * sent none (contract A2).
 *
 * Requests with a bearer don't count, because scripts send those past the proxy. Anybody may send a mark, so only the
 * last few are remembered.
 */
export function createArrivals(trusted: number): Arrivals {
  const counts: ArrivalCounts = { trusted, local: 0, direct: 0, some: 0, enough: 0 }
  const probes = new Map<string, number>()

  return {
    counts,
    note(header, address, probe) {
      const entries = header('x-forwarded-for')?.split(',').length ?? 0
      if (probe !== undefined && PROBE.test(probe)) {
        probes.set(probe, entries)
        for (const oldest of probes.keys()) if (probes.size > MAX_PROBES) probes.delete(oldest)
      }
      if (header('authorization') !== null || isDoctor(header)) return
      if (entries === 0) counts[LOOPBACK.test(address) ? 'local' : 'direct']++
      else counts.some++
      if (entries > 0 && entries >= trusted) counts.enough++
    },
    entriesOf: (probe) => probes.get(probe),
  }
}
