import { type Admin, type AdminOptions, createAdmin as create } from '../admin/admin.ts'
import type { Placard } from '../placard.ts'

export type { Admin, AdminOptions } from '../admin/admin.ts'
export type * from './public-types.ts'

/**
 * Creates the admin of a service, for an app that mounts the admin at a path of its choice (contract O4).
 *
 * A script on the same origin can do everything in the admin that a signed-in user can. To prevent that, give the admin
 * its own origin.
 *
 * @throws TypeError if the path or the address is invalid
 */
export function createAdmin(placard: Placard, options: AdminOptions = {}): Admin {
  return create(placard, options)
}
