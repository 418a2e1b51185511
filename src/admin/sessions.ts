import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { nameOf } from '../core/secrets.ts'
import type { Token, Tokens } from '../store/store.ts'

/** A session ends after `IDLE_MS` of inactivity, and after `LONGEST_MS` in any case. */
const IDLE_MS = 2 * 3_600_000
const LONGEST_MS = 12 * 3_600_000
/** The minimum time between two writes that extend a session. An idle session may outlast `IDLE_MS` by this much. */
const NOTE_EVERY_MS = 60_000

const LIVES = {
  code: { bytes: 16, idle: 10 * 60_000, longest: 10 * 60_000 },
  session: { bytes: 32, idle: IDLE_MS, longest: LONGEST_MS },
}
/** A sign-in code has 128 random bits, and a session's token has 256. */
const CODE = /^[\w-]{22}$/
const SESSION = /^[\w-]{43}$/

export type Sessions = ReturnType<typeof createSessions>

/**
 * Signs browsers in to and out of the admin (contract O1, O2).
 *
 * @param secrets the API secrets of this node. Tokens created with any other secret are invalid
 */
export function createSessions(
  tokens: Tokens,
  secrets: readonly string[],
  clock: Pick<Clock, 'now'>,
) {
  /** Creates a token to store, and its value, which isn't stored. */
  function make(kind: Token['kind'], secret: string, name: string | null) {
    const { bytes, idle, longest } = LIVES[kind]
    const now = clock.now()
    const value = randomBytes(bytes).toString('base64url')
    const hash = hashOf(value)
    const proof = proofOf(secret, hash)
    const token = { kind, hash, name, proof, idleAt: now + idle, endsAt: now + longest }
    return { value, token, now }
  }

  /** Finds the secret that a token belongs to. Compares digests, because `timingSafeEqual` needs equal lengths. */
  const secretOf = ({ hash, proof }: Token) =>
    secrets.find((secret) => timingSafeEqual(digestOf(proofOf(secret, hash)), digestOf(proof)))

  return {
    /**
     * Creates a session, or a one-time code for a sign-in link. If the owner creates a link for a person who has a
     * secret, the link belongs to that secret, and becomes invalid once that secret is removed.
     *
     * @param secret the API secret that authorizes it
     */
    async create(kind: Token['kind'], secret: string, name: string | null) {
      const isForAnother = name !== null && nameOf(secret) === null
      const isTheirs = (one: string) => nameOf(one)?.toLowerCase() === name?.toLowerCase()
      const theirs = isForAnother ? secrets.find(isTheirs) : undefined
      const { value, token, now } = make(kind, theirs ?? secret, name)
      await tokens.add(token, now)
      return { value, endsAt: token.endsAt }
    },
    /** Exchanges a code for a session's token; `null` if the code is wrong, used or expired. */
    async redeem(code: string): Promise<string | null> {
      if (!CODE.test(code)) return null
      // Looks the code up without a write, so that guesses don't make writers wait.
      const found = await tokens.find(hashOf(code), clock.now())
      const secret = found?.kind === 'code' && secretOf(found)
      if (!secret) return null
      const { value, token, now } = make('session', secret, found.name)
      return (await tokens.exchange(found.hash, token, now)) ? value : null
    },
    /** Finds a session. @param isUse whether a person made the request; a page's own requests don't extend a session */
    async find(value: string, isUse: boolean) {
      if (!SESSION.test(value)) return null
      const now = clock.now()
      const token = await tokens.find(hashOf(value), now)
      const secret = token?.kind === 'session' && secretOf(token)
      if (!token || !secret) return null
      const { hash, idleAt } = token
      if (isUse && idleAt < now + IDLE_MS) {
        // If the database accepts no writes, the session stays valid, so that its user can find out why.
        await tokens.extend(hash, now + IDLE_MS + NOTE_EVERY_MS).catch(() => {})
      }
      return { name: nameOf(secret) ?? token.name }
    },
    /** Stores the person's name, or `''` if they gave none, with a session that `find` has found. */
    rename: (value: string, name: string) => tokens.rename(hashOf(value), name),
    /** Ends a session on every node. Returns `null` if there is none. */
    async end(value: string) {
      if (!SESSION.test(value)) return null
      const token = await tokens.find(hashOf(value), clock.now())
      if (token) await tokens.remove(token.hash)
      return token
    },
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest()

const hashOf = (value: string) => digestOf(value).toString('base64url')

const proofOf = (secret: string, hash: string) =>
  createHmac('sha256', secret).update(`placard admin ${hash}`).digest('base64url')
