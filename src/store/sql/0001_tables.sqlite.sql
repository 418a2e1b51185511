-- The event of each type. `body` is JSON: everything that no query needs.
create table placard_event (
  id text primary key,
  type text not null,
  timestamp integer not null,
  expires_at integer,
  coupon text,
  body text not null
);

create unique index placard_event_type on placard_event (type);

-- Scheduled announcements, in a table of their own so that the index above stays simple.
create table placard_scheduled (
  id text primary key,
  type text not null,
  starts_at integer not null,
  expires_at integer,
  position integer not null,
  body text not null
);

-- Every change. `untold_since`: when a change that no request waits for was stored, until the caches are purged for it.
create table placard_history (
  id integer primary key,
  at integer not null,
  action text not null,
  by text not null,
  before text,
  after text,
  reason text,
  untold_since integer
);

create index placard_history_ignored on placard_history (id) where action = 'ignored';

create index placard_history_untold on placard_history (untold_since) where untold_since is not null;

-- Notifications about coupons, for their order and repeats.
create table placard_notification (
  id text not null,
  type text not null,
  created integer not null,
  coupon text,
  effect text,
  outcome text not null,
  reason text,
  received_at integer not null,
  primary key (type, id)
);

create index placard_notification_received_at on placard_notification (received_at);

create index placard_notification_effect on placard_notification (effect, created);

-- The sessions and links of the admin.
create table placard_token (
  hash text primary key,
  kind text not null,
  name text,
  proof text not null,
  idle_at integer not null,
  ends_at integer not null
);

-- One row about the published coupon, by the database's clock. `due_at`: when to ask about it next. `not_before`:
-- Stripe wants no requests before then. `asked_at`: when the last question that got an answer was sent. `paused`: the
-- announcement that is paused until Stripe answers. `since`: up to when events were listed, in Stripe's seconds.
create table placard_offer (
  id integer primary key check (id = 1),
  due_at integer not null default 0,
  not_before integer not null default 0,
  asked_at integer not null default 0,
  failures integer not null default 0,
  limited integer not null default 0,
  seen integer not null default 0,
  paused text,
  decided_at integer not null default 0,
  key text,
  since integer,
  listed_at integer not null default 0,
  heard_event text,
  heard_at integer not null default 0
);

insert into placard_offer (id) values (1);

-- One row: the last timestamp and the last position assigned.
create table placard_clock (
  id integer primary key check (id = 1),
  last integer not null,
  position integer not null
);

insert into placard_clock (id, last, position) values (1, 0, 0);
