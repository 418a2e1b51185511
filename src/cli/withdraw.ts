import type { AnnouncementType } from '../core/fields.ts'
import { clientFor } from './access.ts'
import { OPTIONS } from './options.ts'
import { type Print, readArgs, UsageError } from './usage.ts'

/** `placard withdraw` */
export async function withdraw(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, OPTIONS.withdraw)
  const { type, id } = values
  if ((type === undefined) === (id === undefined)) {
    throw new UsageError('Give --type TYPE or --id ID')
  }
  const selector = id === undefined ? { type: type as AnnouncementType } : { id }
  const { client } = await clientFor(values)
  const { deleted, message } = await client.withdraw(selector)
  print(values.json ? JSON.stringify({ ok: true, deleted, message }) : message)
}
