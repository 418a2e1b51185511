import type { APIRoute } from 'astro'
import { placard } from '../../placard.ts'

export const ALL: APIRoute = ({ request, clientAddress }) =>
  placard.fetch(request, { address: clientAddress })
