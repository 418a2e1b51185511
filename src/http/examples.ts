import type { SchemaName } from './schemas.ts'

const draft = {
  text: '25% off until Monday',
  type: 'coupon',
  slug: '#coupon',
  icon: 'ticket-percent',
}
const id = '2b1d0c52-6c43-4d1f-9a86-0a3c9f7f6c11'
const published = { id, ...draft, timestamp: '1795242756738' }
const scheduled = { id, ...draft, startsAt: '1798794000000', expiresAt: '1799053200000' }
const entry = {
  id: '17',
  at: published.timestamp,
  action: 'published',
  by: { via: 'api', name: 'Ada' },
  before: null,
  after: published,
  undo: 'possible',
}

/** Examples of bodies for the OpenAPI document. */
export const EXAMPLES: Partial<Record<SchemaName, unknown>> = {
  Draft: draft,
  Selector: { type: 'coupon' },
  Undo: { id: '17' },
  LinkFor: { name: 'Anna' },
  Showing: { event: published },
  Saved: { message: 'Event saved; it replaces any previous coupon event.', ok: true },
  Deleted: { message: 'Event deleted.', ok: true, deleted: 1 },
  Done: { message: 'Done.', ok: true },
  Slots: { events: [published] },
  Schedule: { events: [scheduled] },
  History: { entries: [entry], next: '17' },
  Undone: { message: 'Undone.', ok: true, entry: '18' },
  Link: { url: 'https://placard.example/admin#2mHqYw0V', expiresAt: '1795243356738' },
  Receipt: { received: true, outcome: 'published' },
  Health: { ok: true, id: '6a0c3ad0-3a63-4b0c-9e64-5b0b6b6fd0b3' },
  Ready: { ok: true },
  Description: { openapi: '3.1.1' },
  Facts: {
    now: '1795242760000',
    database: { kind: 'sqlite', file: '/var/lib/placard/placard.db', journalMode: 'wal' },
    hearing: true,
    background: true,
    streams: { open: 12, max: 10_000 },
    forwarded: { trusted: 1, local: 0, direct: 0, some: 0, enough: 250 },
    notifications: true,
    stripe: null,
    page: true,
  },
}
