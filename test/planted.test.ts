import { expect, it } from 'vitest'
import { PLANTED as HISTORIES } from './histories/defects.ts'
import { type Defect, occurrences, plantedIn } from './planted.ts'

const DEFECTS: [string, Defect][] = [
  ...HISTORIES.flatMap(({ what, defects }) =>
    defects.map((defect): [string, Defect] => [what, defect]),
  ),
  ...['mutants', 'stripe/histories', 'windows'].flatMap((folder) =>
    plantedIn(folder).map((planted): [string, Defect] => [planted.what, planted]),
  ),
]

it.each(DEFECTS)('can still be planted, in one place: %s', (_, defect) => {
  expect(defect.wrong).not.toBe(defect.right)
  expect(occurrences(defect)).toBe(1)
})
