import { oneOf, randomFrom } from './random.ts'
import { TROUBLES, type TroubleName } from './trouble.ts'

const KINDS = ['SQLite', 'Postgres', 'two nodes with faults'] as const

/** The random choices of a history. */
export interface Plan {
  /** Determines all the other random choices. */
  seed: number
  /** Every third seed has the same kind. */
  kind: (typeof KINDS)[number]
  /** How long clients wait between two actions, at most. */
  pauseMs: number
  /** Whether so many pages are open that notifying them takes several turns of the event loop. */
  crowded: boolean
  /** The faults that connections may have, and how long each lasts. */
  troubles: readonly TroubleName[]
  troubleMs: number
  /** In most histories, only one node has faults, and must show in time what the other writes meanwhile. */
  bothTroubled: boolean
  /** How long the nodes wait for the database. */
  timeoutMs: number
}

export function planOf(seed: number): Plan {
  const random = randomFrom(seed)
  const kind = KINDS[seed % KINDS.length] as Plan['kind']
  const all = Object.keys(TROUBLES) as TroubleName[]
  const once = random() < 0.5
  return {
    seed,
    kind,
    pauseMs: kind === 'two nodes with faults' ? 80 : oneOf(random, [0, 2, 8]),
    crowded: random() < 0.3,
    troubles: once ? [oneOf(random, all)] : all,
    troubleMs: once ? Number.POSITIVE_INFINITY : oneOf(random, [100, 600]),
    bothTroubled: random() < 0.15,
    timeoutMs: oneOf(random, [500, 2_500, 2_500]),
  }
}
