-- The event of each type. `body` is JSON: everything that no query needs.
create table placard_event (
  id text primary key,
  type text not null,
  timestamp bigint not null,
  expires_at bigint,
  coupon text,
  body text not null
);

create unique index placard_event_type on placard_event (type);

-- Scheduled announcements, in a table of their own so that the index above stays simple.
create table placard_scheduled (
  id text primary key,
  type text not null,
  starts_at bigint not null,
  expires_at bigint,
  position bigint not null,
  body text not null
);

-- Every change. `untold_since`: when a change that no request waits for was stored, until the caches are purged for it.
create table placard_history (
  id bigint primary key,
  at bigint not null,
  action text not null,
  by text not null,
  before text,
  after text,
  reason text,
  untold_since bigint
);

create index placard_history_ignored on placard_history (id) where action = 'ignored';

create index placard_history_untold on placard_history (untold_since) where untold_since is not null;

-- Notifications about coupons, for their order and repeats.
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

-- The sessions and links of the admin.
create table placard_token (
  hash text primary key,
  kind text not null,
  name text,
  proof text not null,
  idle_at bigint not null,
  ends_at bigint not null
);

-- One row about the published coupon, by the database's clock. `due_at`: when to ask about it next. `not_before`:
-- Stripe wants no requests before then. `asked_at`: when the last question that got an answer was sent. `paused`: the
-- announcement that is paused until Stripe answers. `since`: up to when events were listed, in Stripe's seconds.
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
  heard_event text,
  heard_at bigint not null default 0
);

insert into placard_offer (id) values (1);

-- One row: the last timestamp and the last position assigned. Each writer locks it, so only one writes at a time.
create table placard_clock (
  id integer primary key check (id = 1),
  last bigint not null,
  position bigint not null
);

insert into placard_clock (id, last, position) values (1, 0, 0);

-- The times at which an address's writes were admitted. The table is unlogged, so counting doesn't wait for the disk. A
-- crash of the server empties it, but once it runs again the rows would be older than ten seconds anyway.
create unlogged table placard_allowance (
  address text primary key,
  admitted_at timestamptz[] not null,
  admitted boolean not null,
  counted_at timestamptz not null
) with (fillfactor = 50);

create index placard_allowance_last on placard_allowance ((admitted_at[cardinality(admitted_at)]));
