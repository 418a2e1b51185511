-- At most one event of each type. `body` has the fields that no query needs, as JSON.
create table placard_event (
  id text primary key,
  type text not null,
  timestamp bigint not null,
  expires_at bigint,
  coupon text,
  body text not null
);

create unique index placard_event_type on placard_event (type);

-- Scheduled announcements have their own table, so the unique index on placard_event can be on `type` alone.
create table placard_scheduled (
  id text primary key,
  type text not null,
  starts_at bigint not null,
  expires_at bigint,
  position bigint not null,
  body text not null
);

-- Every change and every ignored notification. `text_key` is a checksum of the text in `before`, so that a text that was
-- published earlier is found without reading the whole history. For a change that no request waits for, `unpurged_since`
-- is the time at which the change was stored, until the caches are purged; otherwise, `unpurged_since` is null.
create table placard_history (
  id bigint primary key,
  at bigint not null,
  action text not null,
  by text not null,
  before text,
  after text,
  reason text,
  text_key text,
  unpurged_since bigint
);

create index placard_history_text_key on placard_history (text_key, id) where text_key is not null;

create index placard_history_ignored on placard_history (id) where action = 'ignored';

create index placard_history_unpurged on placard_history (unpurged_since) where unpurged_since is not null;

-- Stripe's notifications about coupons, kept so that the service applies each once and in order (contract W6).
create table placard_notification (
  id text not null,
  type text not null,
  created bigint not null,
  coupon text,
  effect text,
  outcome text not null,
  reason text,
  received_at bigint not null,
  constraint placard_notification_key primary key (type, id)
);

create index placard_notification_received_at on placard_notification (received_at);

create index placard_notification_effect on placard_notification (effect, created);

-- The admin's sessions and one-time sign-in codes, stored as hashes (contract O1, O2).
create table placard_token (
  hash text primary key,
  kind text not null,
  name text,
  proof text not null,
  idle_at bigint not null,
  ends_at bigint not null
);

-- One row of state that all nodes share, for asking Stripe about the published coupon. `OfferMemory` in
-- src/store/store.ts describes the columns.
create table placard_offer (
  id integer primary key check (id = 1),
  due_at bigint not null default 0,
  not_before bigint not null default 0,
  asked_at bigint not null default 0,
  failures bigint not null default 0,
  limited bigint not null default 0,
  seen bigint not null default 0,
  paused text,
  decided_at bigint not null default 0,
  key text,
  since bigint,
  listed_at bigint not null default 0,
  delivered_event text,
  delivered_at bigint not null default 0
);

insert into placard_offer (id) values (1);

-- One row with the last assigned timestamp and the last assigned position in the schedule. Each writer locks this row,
-- so only one writer runs at a time.
create table placard_clock (
  id integer primary key check (id = 1),
  last bigint not null,
  position bigint not null
);

insert into placard_clock (id, last, position) values (1, 0, 0);
