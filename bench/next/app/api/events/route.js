import { DatabaseSync } from 'node:sqlite'

// What most would write: the newest row, asked for on each request.
const database = new DatabaseSync(process.env.DATABASE ?? ':memory:')
database.exec(`
  create table if not exists event (
    id text primary key, text text, type text, slug text, icon text, timestamp integer
  );
  insert or ignore into event values
    ('e1d6', 'We wrote about caching', 'post', '/blog/caching', 'newspaper', 1795242756738);
`)
const newest = database.prepare('select * from event order by timestamp desc limit 1')

export function GET() {
  const event = newest.get()
  return Response.json({ event: event && { ...event, timestamp: String(event.timestamp) } })
}
