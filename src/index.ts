export type {
  Announcement,
  AnnouncementType,
  Selector,
  WireAnnouncement,
  WireBody,
} from './announcement.ts'
export type { Clock } from './clock.ts'
export type { InvalidationHook } from './commands.ts'
export type { RequestInfo } from './http/app.ts'
export type { Log } from './log.ts'
export { createPlacard, type DraftInput, type Placard, type PlacardOptions } from './placard.ts'
export { Problem, type ProblemCode } from './problem.ts'
export type { Snapshot } from './showing/snapshot.ts'
export {
  type CouponNotification,
  type Receipt,
  type Store,
  StoreUnavailable,
  type WatchListener,
} from './store/store.ts'
