import { createAdmin } from 'placard/admin'
import { placard } from '@/placard'

export const { GET, HEAD, POST } = placard.mount((service) => createAdmin(service))
