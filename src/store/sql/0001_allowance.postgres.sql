-- For the rate limit: the times at which an address's writes were admitted. The table is unlogged, so counting doesn't
-- wait for the disk. A crash of Postgres empties an unlogged table, and so resets the rate limit.
create unlogged table placard_allowance (
  address text primary key,
  admitted_at timestamptz[] not null,
  admitted boolean not null,
  counted_at timestamptz not null
) with (fillfactor = 50);

create index placard_allowance_last on placard_allowance ((admitted_at[cardinality(admitted_at)]));
