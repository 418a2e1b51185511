import { ClientError, send } from '../client/send.ts'
import { access, explaining, warnOfName } from './access.ts'
import { OPTIONS } from './options.ts'
import { escapeControls } from './terminal.ts'
import { assertNotRewritten, type Output, readArgs } from './usage.ts'

const NO_ADMIN =
  "If an app mounts the service, mount placard/admin as well (docs/admin.md), and give the admin's path with --path"

/** `placard open`: prints a link that signs one browser in to the admin (contract O1). */
export async function open(args: string[]): Promise<Output> {
  const { values } = readArgs(args, OPTIONS.open)
  assertNotRewritten('--path', values.path)
  const asked = await access(values.url, 'EVENT_API_SECRET')
  const { url, secret } = asked
  warnOfName('--for', values.for, asked)
  const path = `/${(values.path ?? 'admin').replace(/^\/+|\/+$/g, '')}`
  const link = await send(
    fetch,
    `${url}${path}/links`,
    {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret ?? ''}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: values.for }),
    },
    ({ url, expiresAt }) =>
      typeof url === 'string' && typeof expiresAt === 'string' ? { url, expiresAt } : undefined,
  ).catch((error) => {
    if (!(error instanceof ClientError) || error.status !== 404) return explaining(asked)(error)
    const message = `There is no admin at ${url}${path}`
    throw new ClientError(`${message}. ${NO_ADMIN}`, 404)
  })
  return values.json ? { ok: true, ...link } : escapeControls(link.url)
}
