/** The types in a service's signatures. The entries that return a service export these types, so apps can name them. */

export type { InvalidationHook } from '../commands.ts'
export type {
  Announcement,
  By,
  Draft,
  DraftInput,
  Scheduled,
  Selector,
  WireAnnouncement,
  WireBody,
} from '../core/announcement.ts'
export type { Board, EditRefusal } from '../core/board.ts'
export type { Clock } from '../core/clock.ts'
export type { CouponNotification, Receipt } from '../core/coupon.ts'
export type { Facts } from '../core/facts.ts'
export type { AnnouncementType } from '../core/fields.ts'
export type { HistoryAction, HistoryEntry, UndoRefusal } from '../core/history.ts'
export type { Limiter, LimitState } from '../core/limiter.ts'
export type { Log } from '../core/log.ts'
export type { Reason } from '../core/messages.ts'
export type { Issue, ProblemCode } from '../core/problem.ts'
export type { Tree } from '../core/tree.ts'
export type { Include } from '../http/include-parameters.ts'
export type { CachedResponse, Representation, Resource } from '../http/resource.ts'
export type { RequestInfo } from '../http/route.ts'
export type { HostFacts } from '../http/service-parts.ts'
export type { Asset, Bar, BarKind, Bars, Reader, Site } from '../http/site.ts'
export type { Sink, Streams, WantedBars } from '../http/stream.ts'
export type { Placard, Published } from '../placard.ts'
export type { PlacardOptions } from '../placard-options.ts'
export type { Snapshot } from '../showing/snapshot.ts'
export type {
  DatabaseState,
  Expectation,
  LeaseTerms,
  OfferMemory,
  Offers,
  Refusal,
  Store,
  Token,
  Tokens,
  UndoResult,
  WatchListener,
  WithdrawResult,
  WriteContext,
  Written,
} from '../store/store.ts'
