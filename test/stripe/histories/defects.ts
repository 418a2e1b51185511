import type { Defect } from '../../planted.ts'
import type { OfferFault } from './run.ts'

/** What each defect is, the fault that the histories show, and how to plant it. */
export const PLANTED: [string, OfferFault, Defect][] = [
  [
    'a coupon that is asked about too seldom',
    'refused',
    {
      file: 'src/stripe/unanswered.ts',
      right: 'LIMITED_MS = 30_000',
      wrong: 'LIMITED_MS = 60_000',
    },
  ],
  [
    'a coupon that is not there is taken for one of another account',
    'refused',
    {
      file: 'src/stripe/judging.ts',
      right: 'if (isOurs) return',
      wrong: 'if (!isOurs) return',
    },
  ],
  [
    'a code that is not judged',
    'refused',
    {
      file: 'src/stripe/offer.ts',
      right: '?? (code && codeRefusal',
      wrong: '?? (code && !code && codeRefusal',
    },
  ],
  [
    'an offer that is never paused',
    'silent',
    {
      file: 'src/stripe/question.ts',
      right: 'await commands.pauseOffer(',
      wrong: 'if (!one) await commands.pauseOffer(',
    },
  ],
  [
    'a pause that comes with the next question',
    'silent',
    { file: 'src/stripe/question.ts', right: 'Math.min(nextMs, leftMs)', wrong: 'nextMs' },
  ],
  [
    'a pause that goes on though Stripe answers',
    'paused',
    {
      file: 'src/stripe/question.ts',
      right: 'await resume()\n    // The',
      wrong: '// The',
    },
  ],
  [
    'a wish of Stripe that is forgotten',
    'early',
    {
      file: 'src/stripe/client.ts',
      right: 'await quiet.keep(error.waitMs)',
      wrong: 'await 0',
    },
  ],
  [
    'a late notification that undoes what a person decided since',
    'end',
    {
      file: 'src/store/notifications.ts',
      right: 'happenedAt !== undefined && (await isDecidedSince',
      wrong: 'happenedAt === -1 && (await isDecidedSince',
    },
  ],
  [
    'a withdrawal of nothing that is not a decision',
    'end',
    {
      file: 'src/store/verbs.ts',
      right: 'await noteDecision(db, writing.now, writing.now)',
      wrong: 'await noteDecision(db, 0, writing.now)',
    },
  ],
  [
    'a refused offer that replaces nothing',
    'end',
    {
      file: 'src/store/notifications.ts',
      right: 'await takeDown(true, effect.refused)',
      wrong: 'await takeDown(slot?.coupon === coupon, effect.refused)',
    },
  ],
  [
    'a start that waits for the turn that the process before it planned',
    'end',
    {
      file: 'src/stripe/asking.ts',
      right: 'client.mark(), missed &&',
      wrong: 'client.mark(), !missed &&',
    },
  ],
  [
    'what was missed is applied with a key of any mode',
    'end',
    {
      file: 'src/stripe/catch-up.ts',
      right: 'if (missed.length > 0 && !(await',
      wrong: 'if (missed.length < 0 && !(await',
    },
  ],
  [
    'a list of which the first of each coupon counts',
    'end',
    {
      file: 'src/stripe/catch-up.ts',
      right: 'last.delete(key)\n    last.set(key,',
      wrong: 'if (!last.has(key)) last.set(key,',
    },
  ],
]
