import type { Defect } from '../../planted.ts'

/** What each defect is, the fault that the histories show, and how to plant it. */
export const PLANTED: [string, 'refused' | 'end', Defect][] = [
  [
    'a coupon that is asked about too seldom',
    'refused',
    { file: 'src/stripe/asking.ts', right: 'LIMITED_MS = 30_000', wrong: 'LIMITED_MS = 60_000' },
  ],
  [
    'a coupon that is not there is taken for one of another account',
    'refused',
    {
      file: 'src/offers/retrieve.ts',
      right: 'if (isOurs) return candidate',
      wrong: 'if (!isOurs) return candidate',
    },
  ],
  [
    'a late notification that undoes what a person decided since',
    'end',
    {
      file: 'src/store/notifications.ts',
      right: 'happenedAt < (await decidedAt(db))',
      wrong: 'happenedAt < 0 * (await decidedAt(db))',
    },
  ],
  [
    'a withdrawal of nothing that is not a decision',
    'end',
    {
      file: 'src/store/verbs.ts',
      right: 'else await noteWithdrawal(db, selector, writing.now)',
      wrong: 'else await noteWithdrawal(db, { id: "" }, writing.now)',
    },
  ],
  [
    'a refused offer that replaces nothing',
    'end',
    {
      file: 'src/store/notifications.ts',
      right: 'await takeDown(true, effect.refused.because, about)',
      wrong: 'await takeDown(slot?.coupon === coupon, effect.refused.because, about)',
    },
  ],
  [
    'a start that waits for the turn that the process before it planned',
    'end',
    {
      file: 'src/offers/offers.ts',
      right:
        'if (missed && clock.monotonic() >= listAgainAt) await store.hasten(LEASE_MS, clock.now())',
      wrong: '',
    },
  ],
  [
    'what was missed is applied, whatever mode the key is of',
    'end',
    {
      file: 'src/offers/catch-up.ts',
      right: 'if (missed.length > 0 && !(await',
      wrong: 'if (missed.length < 0 && !(await',
    },
  ],
  [
    'a list of which the first of each coupon counts',
    'end',
    {
      file: 'src/stripe/catching-up.ts',
      right: 'last.delete(key)\n    last.set(key, one)',
      wrong: 'if (!last.has(key)) last.set(key, one)',
    },
  ],
]
