import { expect, it } from 'vitest'
import { PLANTED as HISTORIES } from './histories/defects.ts'
import { MUTANTS } from './mutants/planted.ts'
import { type Defect, occurrences } from './planted.ts'
import { PLANTED as OFFERS } from './stripe/histories/defects.ts'
import { PLANTED as WINDOWS } from './windows/defects.ts'

const DEFECTS: [string, Defect][] = [
  ...HISTORIES.flatMap(({ what, defects }) =>
    defects.map((defect): [string, Defect] => [what, defect]),
  ),
  ...MUTANTS.map((mutant): [string, Defect] => [mutant.what, mutant]),
  ...OFFERS.map(([what, , defect]): [string, Defect] => [what, defect]),
  ...WINDOWS.map(([what, , defect]): [string, Defect] => [what, defect]),
]

it.each(DEFECTS)('can still be planted, in one place: %s', (_, defect) => {
  expect(occurrences(defect)).toBe(1)
})
