import { expect, it } from 'vitest'
import { occurrences, plantedIn } from './planted.ts'

const DEFECTS = ['histories', 'mutants', 'stripe/histories', 'windows'].flatMap(plantedIn)

it.each(DEFECTS.map((defect) => [defect.what, defect] as const))(
  'the source has exactly one place for the planted defect: %s',
  (_, defect) => {
    expect(defect.wrong).not.toBe(defect.right)
    expect(occurrences(defect)).toBe(1)
  },
)
