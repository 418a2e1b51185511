import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { skipAloud } from './aloud.ts'
import { temporaryDirectory } from './stores.ts'

/** Replaces a function of the C library: while a certain file is there, no lock is granted. */
const WITHOUT_LOCKS = `
  #define _GNU_SOURCE
  #include <dlfcn.h>
  #include <errno.h>
  #include <fcntl.h>
  #include <stdarg.h>
  #include <stdlib.h>
  #include <unistd.h>

  int fcntl64(int fd, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    int locks = command == F_SETLK && ((struct flock *)argument)->l_type != F_UNLCK;
    if (locks && access(getenv("WITHOUT_LOCKS"), F_OK) == 0) {
      errno = ENOLCK;
      return -1;
    }
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, "fcntl64");
    return real(fd, command, argument);
  }`

/** Writes while locks are refused, and reads all the time. It says how long the slowest read took. */
const program = (directory: string) => `
  import { rmSync, writeFileSync } from 'node:fs'
  import { setTimeout } from 'node:timers/promises'
  const { sqliteStore } = await import(${module('store/sqlite.ts')})
  const { createPlacard } = await import(${module('placard.ts')})
  const store = sqliteStore(${JSON.stringify(join(directory, 'placard.db'))})
  const placard = createPlacard({ store, apiSecret: 'x'.repeat(16) })
  const write = async (text) => {
    const started = performance.now()
    const code = await placard.publish({ text, type: 'post', slug: '/' }).then(() => 'stored', ({ code }) => code)
    return { code, ms: performance.now() - started }
  }
  await write('before')
  let slowest = 0
  let reading = true
  const reads = (async () => {
    for (let last = performance.now(); reading; last = performance.now()) {
      await placard.fetch(new Request('http://placard.test/api/events'))
      await setTimeout(5)
      slowest = Math.max(slowest, performance.now() - last)
    }
  })()
  writeFileSync(process.env.WITHOUT_LOCKS, '')
  const refused = await write('refused')
  // Long enough to check a few times for the writes of others.
  await setTimeout(1_000)
  const stale = await placard.fetch(new Request('http://placard.test/api/events'))
  const ready = await placard.fetch(new Request('http://placard.test/readyz'))
  rmSync(process.env.WITHOUT_LOCKS)
  const granted = await write('granted')
  reading = false
  await reads
  console.log(JSON.stringify({
    refused, granted, slowest, ready: ready.status, stale: stale.headers.get('placard-stale'),
    text: (await placard.current()).text,
  }))
  await placard.close()`

const module = (name: string) => JSON.stringify(new URL(`../src/${name}`, import.meta.url))

it('contract R3: where the file system refuses locks, no read waits for a write', async (context) => {
  const directory = temporaryDirectory()
  const [source, library] = [join(directory, 'locks.c'), join(directory, 'locks.so')]
  writeFileSync(source, WITHOUT_LOCKS)
  const compiled = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
  const lacking = process.platform !== 'linux' || compiled.status !== 0
  skipAloud(context, lacking, 'a C compiler on Linux')
  const env = {
    ...process.env,
    LD_PRELOAD: library,
    WITHOUT_LOCKS: join(directory, 'without-locks'),
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program(directory)],
    { env, timeout: 25_000 },
  )
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({
    refused: { code: 'unavailable' },
    ready: 503,
    stale: '1',
    granted: { code: 'stored' },
    text: 'granted',
  })
  expect(result.refused.ms).toBeLessThan(1_500)
  expect(result.slowest).toBeLessThan(500)
})
