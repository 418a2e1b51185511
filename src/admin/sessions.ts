import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Token, Tokens } from '../store/store.ts'

const CODE_MS = 10 * 60_000
/** A session ends after so long without use, and after so long in any case. */
const IDLE_MS = 2 * 3_600_000
const LONGEST_MS = 12 * 3_600_000
/** Use is noted no more often, because each note is a write. */
const NOTE_EVERY_MS = 5 * 60_000

/** 128 bits, as in a link, and as many again for a session. */
const CODE = /^[\w-]{22}$/
const SESSION = /^[\w-]{43}$/

/** Who is signed in. */
export interface Session {
  /** As the history shows them; `null` if nobody said. */
  name: string | null
  /** The API secret that the session came from. It never leaves this process. */
  secret: string
  /** Milliseconds since 1970; earlier if nobody uses it. */
  endsAt: number
}

/** Signing in to the admin and out of it (contract O1, O2). */
export interface Sessions {
  /** The code of a link, for one use within 10 minutes. @param secret the API secret that allows it */
  createCode(secret: string, name: string | null): Promise<{ code: string; endsAt: number }>
  /** Turns a code into what the browser keeps, or `null` if it is wrong, used or too old. */
  redeem(code: string): Promise<string | null>
  /** Starts a session without a code. */
  start(secret: string, name: string | null): Promise<string>
  find(value: string | undefined): Promise<Session | null>
  /** Ends it, on every node. */
  end(value: string | undefined): Promise<void>
}

/**
 * @param secrets the API secrets of this node. What came from any other is refused, even if the database has it
 */
export function createSessions(
  tokens: Tokens,
  secrets: readonly string[],
  clock: Pick<Clock, 'now'>,
): Sessions {
  async function add(
    kind: Token['kind'],
    secret: string,
    name: string | null,
    { bytes, idle, longest }: { bytes: number; idle: number; longest: number },
  ) {
    const now = clock.now()
    const value = randomBytes(bytes).toString('base64url')
    const hash = hashOf(value)
    const [idleAt, endsAt] = [now + idle, now + longest]
    await tokens.add({ kind, hash, name, proof: proofOf(secret, hash), idleAt, endsAt }, now)
    return { value, endsAt }
  }

  const start: Sessions['start'] = async (secret, name) => {
    const lifetime = { bytes: 32, idle: IDLE_MS, longest: LONGEST_MS }
    return (await add('session', secret, name, lifetime)).value
  }

  /** The secret that a token came from, if this node has it. */
  const secretOf = ({ hash, proof }: Token) =>
    secrets.find((secret) => timingSafeEqual(bytesOf(proofOf(secret, hash)), bytesOf(proof)))

  return {
    async createCode(secret, name) {
      const lifetime = { bytes: 16, idle: CODE_MS, longest: CODE_MS }
      const { value, endsAt } = await add('code', secret, name, lifetime)
      return { code: value, endsAt }
    },
    async redeem(code) {
      if (!CODE.test(code)) return null
      const token = await tokens.take(hashOf(code), clock.now())
      const secret = token?.kind === 'code' && secretOf(token)
      return secret ? start(secret, token.name) : null
    },
    start,
    async find(value) {
      if (value === undefined || !SESSION.test(value)) return null
      const now = clock.now()
      const token = await tokens.find(hashOf(value), now)
      const secret = token?.kind === 'session' && secretOf(token)
      if (!secret) return null
      const { hash, name, endsAt, idleAt } = token
      if (idleAt < now + IDLE_MS - NOTE_EVERY_MS) await tokens.extend(hash, now + IDLE_MS)
      return { name, secret, endsAt }
    },
    async end(value) {
      if (value !== undefined && SESSION.test(value)) await tokens.take(hashOf(value), clock.now())
    },
  }
}

const hashOf = (value: string) => createHash('sha256').update(value).digest('base64url')

const proofOf = (secret: string, hash: string) =>
  createHmac('sha256', secret).update(`placard admin ${hash}`).digest('base64url')

/** Always as many bytes, whatever a row holds, because a comparison of other lengths would throw. */
const bytesOf = (proof: string) => Buffer.from(proof.padEnd(43).slice(0, 43))
