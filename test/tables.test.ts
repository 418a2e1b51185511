import { describe, expect, it } from 'vitest'
import type { Store } from '../src/store/store.ts'
import { current, DRAFT, makePlacard, publish, undo } from './harness.ts'
import { type Place, STORED, STORES } from './stores.ts'

for (const kind of STORES) {
  describe(`the tables on ${kind.name}`, () => {
    const run = async (place: Place, ...statements: string[]) => {
      for (const statement of statements) await place.query(statement)
    }
    /** Checks that publishing, reading and undoing work. */
    async function works(store: Store): Promise<void> {
      const mount = makePlacard(store)
      const before = await current(mount)
      expect((await publish(mount)).status).toBe(201)
      expect(await current(mount)).toMatchObject(DRAFT)
      expect((await undo(mount)).status).toBe(200)
      expect(await current(mount)).toEqual(before)
      await mount.close()
    }

    it("contract A12: leave the host app's own tables alone, even those with names such as `event` or `history`", async () => {
      const place = await kind.bare()
      const tables = ['event', 'scheduled', 'history', 'notification', 'clock', 'offer']
      await run(
        place,
        ...tables.map((name) => `create table ${name} (id integer primary key, of_host text)`),
        ...tables.map((name) => `insert into ${name} values (1, 'of the host')`),
      )
      const theirs = () => Promise.all(tables.map((name) => place.query(`select * from ${name}`)))
      const before = await theirs()
      await works(await place.open())
      expect(await theirs()).toEqual(before)
      expect(before.map((rows) => rows.length)).toEqual(tables.map(() => 1))
    })

    it('contract Settings: are rejected if another version created them, and the error says so', async () => {
      const place = await kind.place()
      await works(await place.open())
      await run(place, "update placard_migration set checksum = 'another'")
      const store = await place.open()
      await expect(store.load()).rejects.toThrow(
        /^Another version of Placard created this database/,
      )
      await store.close()
    })

    it('can be read and written while a later version extends them, and afterwards', async () => {
      const place = await kind.place()
      const running = makePlacard(await place.open())
      await publish(running, { ...DRAFT, type: 'product', text: 'Before' })
      await run(
        place,
        'alter table placard_event add column of_later text',
        'create table placard_later (id integer primary key)',
        "insert into placard_migration values (2, 'later', '2099-01-01')",
      )
      expect(await current(running)).toMatchObject({ text: 'Before' })
      expect((await publish(running, { ...DRAFT, text: 'After' })).status).toBe(201)
      expect(await current(running)).toMatchObject({ text: 'After' })
      await running.close()
      await works(await place.open())
    })

    it("contract R9: keep a later version's fields of an announcement, even through an undo", async () => {
      const place = await kind.place()
      const mount = makePlacard(await place.open())
      await publish(mount)
      const body = JSON.stringify({ ...STORED, by: { via: 'api' }, tone: 'calm' })
      await run(place, `update placard_event set body = '${body}'`)
      const stored = async () =>
        JSON.parse(String((await place.query('select body from placard_event'))[0]?.body)).tone
      expect(Object.keys((await current(mount)) ?? {})).not.toContain('tone')
      await publish(mount, { ...DRAFT, text: 'Something else' })
      expect(await stored()).toBeUndefined()
      expect((await undo(mount)).status).toBe(200)
      expect(await current(mount)).toMatchObject(DRAFT)
      expect(await stored()).toBe('calm')
      await mount.close()
    })
  })
}
