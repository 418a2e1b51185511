import { placard } from '@/placard'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = placard.handlers
