/** What `POST /api/events` takes. */
export const DRAFT = {
  text: '25% off until Monday',
  type: 'coupon',
  slug: '#coupon',
  icon: 'ticket-percent',
}

/** The same as it stands. */
export const STANDING = {
  id: '2b1d0c52-6c43-4d1f-9a86-0a3c9f7f6c11',
  ...DRAFT,
  timestamp: '1795242756738',
}

const { timestamp: _, ...parts } = STANDING
/** The same before it starts. */
export const COMING = { ...parts, startsAt: '1798794000000', expiresAt: '1799053200000' }

export const ENTRY = {
  id: '17',
  at: STANDING.timestamp,
  action: 'published',
  by: { via: 'api', name: 'Ada' },
  before: null,
  after: STANDING,
  undo: 'possible',
}

export const FACTS = {
  now: '1795242760000',
  database: { kind: 'sqlite', file: '/var/lib/placard/placard.db', journalMode: 'wal' },
  hearing: true,
  background: true,
  streams: { open: 12, max: 10_000 },
  forwarded: { trusted: 1, local: 0, direct: 0, some: 0, enough: 250 },
  notifications: true,
  stripe: null,
  page: true,
}
