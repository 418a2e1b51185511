import { createClient } from '../client.ts'
import { parseSecrets } from '../secrets.ts'
import { readAccess, type SecretName } from '../server/config.ts'
import { existingSecret } from '../server/secret-file.ts'
import { UsageError } from './usage.ts'

/** Where the service is, and its secret. While secrets are rotated there are several, and this is the first. */
export function access(given: string | undefined, name?: SecretName) {
  if (given !== undefined && !URL.canParse(given)) {
    throw new UsageError(`--url takes a URL, not "${given}"`)
  }
  const { port, secret } = readAccess({ port: given === undefined, secret: name })
  const url = given?.replace(/\/+$/, '') ?? `http://127.0.0.1:${port}`
  const list = secret === null ? undefined : existingSecret(secret)
  return { url, secret: parseSecrets(list ?? '').secrets[0] }
}

/** A client that may write. The history shows its writes as those of the command line (contract R8). */
export function clientFor({ url, as }: { url?: string | undefined; as?: string | undefined }) {
  return createClient({
    ...access(url, 'EVENT_API_SECRET'),
    actor: as,
    headers: { 'Placard-Via': 'cli' },
  })
}
