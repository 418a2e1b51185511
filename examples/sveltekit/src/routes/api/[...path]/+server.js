import { placard } from '../../../lib/server/placard.js'

/** Every method. */
export const fallback = ({ request, getClientAddress }) =>
  placard.fetch(request, { address: getClientAddress() })
