/** What lets a browser into the admin: a session, or the code of a link, which becomes one (contract O1, O2). */
export interface Token {
  kind: 'code' | 'session'
  /** SHA-256 of what the browser has, in base64url. That itself is not stored. */
  hash: string
  /** Who it is for, as the history shows them; `null` if nobody said. */
  name: string | null
  /** HMAC of the hash, by the API secret that it came from. */
  proof: string
  /** When it is over unless it is used before: milliseconds since 1970. */
  idleAt: number
  /** When it is over in any case. */
  endsAt: number
}

/** Every method rejects as the store does. */
export interface Tokens {
  add(token: Token, now: number): Promise<void>
  /** The token with this hash, unless it is over. */
  find(hash: string, now: number): Promise<Token | null>
  /** Replaces one by another. Of several callers, on any node, one succeeds. */
  exchange(hash: string, token: Token, now: number): Promise<boolean>
  remove(hash: string): Promise<void>
  extend(hash: string, idleAt: number): Promise<void>
}
