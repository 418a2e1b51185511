import { expect, it } from 'vitest'
import { bareTag } from '../src/core/etag.ts'

it.each([
  ['"abc"', 'abc'],
  ['W/"abc-gzip"', 'abc'],
  ['"abc;gzip"', 'abc'],
  ['"a-b_c--gzip"', 'a-b_c'],
  ['"abc-zstd"', 'abc'],
  ['"abc-gz-gzip"', 'abc'],
  ['"abc-gzi"', 'abc-gzi'],
  ['abc-br', 'abc'],
  ['', ''],
])("contract A17: without a proxy's additions, the ETag %s is %s", (etag, bare) => {
  expect(bareTag(etag)).toBe(bare)
})
