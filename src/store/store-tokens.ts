/** Lets a browser into the admin: a session, or the code of a link, which becomes one (contract O1, O2). */
export interface Token {
  kind: 'code' | 'session'
  /** SHA-256 of the browser's code, in base64url. The code itself is not stored. */
  hash: string
  /** The person's name in the history; `null` if they gave none. */
  name: string | null
  /** HMAC of the hash with the API secret that the token came from. */
  proof: string
  /** When it expires if it isn't used: milliseconds since 1970. */
  idleAt: number
  /** When it expires in any case. */
  endsAt: number
}

/** Every method rejects as the store does. */
export interface Tokens {
  add(token: Token, now: number): Promise<void>
  /** The token with this hash, unless it has expired. */
  find(hash: string, now: number): Promise<Token | null>
  /** Replaces one token by another. Of several callers, on any node, only one succeeds. */
  exchange(hash: string, token: Token, now: number): Promise<boolean>
  remove(hash: string): Promise<void>
  extend(hash: string, idleAt: number): Promise<void>
}
