/**
 * Decides whether what concurrent clients did and saw could have happened sequentially.
 *
 * The method is that of Wing and Gong with Lowe's memoization, as in the checkers Knossos and porcupine: try every
 * order that respects which step certainly came before which, and remember what was tried.
 */

/** One thing that a client did or saw. */
export interface Step<Action> {
  action: Action
  /** The steps that certainly came before, by their place in the list. */
  after: readonly number[]
  /**
   * Whether it certainly happened. An unanswered write may have happened at any time after its start, or never. So no step
   * is known to come after it.
   */
  certain: boolean
}

/** How the service behaves when actions come one after the other. */
export interface Model<State, Action> {
  initial: State
  /** The state after the action, or `undefined` where the action can't have happened in this state. */
  apply(state: State, action: Action): State | undefined
  /** Whether the action leaves every state as it is. */
  onlyLooks(action: Action): boolean
  /** Equal for two states that behave alike from here on. */
  key(state: State): string
}

export type Verdict<State> =
  | { is: 'possible'; order: readonly number[] }
  /** The longest order that was found, the state at its end, and the steps that came next and don't fit. */
  | { is: 'impossible'; order: readonly number[]; state: State; next: readonly number[] }
  /** It gave up, because there were too many orders to try. */
  | { is: 'undecided' }

interface Candidate<Action> {
  place: number
  action: Action
  looks: boolean
  /** Sets of places, one bit for each: the step itself, and all that came before it. */
  self: bigint
  before: bigint
  /** The steps that may become possible once this one is done. */
  followers: Candidate<Action>[]
  /** The same for identical steps that no step must follow, because it is enough to try one of them. */
  alike: string | undefined
}

/** @param limit how many states are tried before it gives up */
export function check<State, Action>(
  steps: readonly Step<Action>[],
  model: Model<State, Action>,
  limit = 1_000_000,
): Verdict<State> {
  const candidates = candidatesOf(steps, model)
  const owed = setOf([...steps.keys()].filter((place) => steps[place]?.certain))
  const tried = new Map<string, bigint[]>()
  let states = 0
  let best: Extract<Verdict<State>, { is: 'impossible' }> = {
    is: 'impossible',
    order: [],
    state: model.initial,
    next: [],
  }

  /** @param open the steps that can come next, because all steps before them are done */
  function search(
    state: State,
    done: bigint,
    open: readonly Candidate<Action>[],
    order: readonly number[],
  ): Verdict<State> | undefined {
    const goOn = (after: State, taken: readonly Candidate<Action>[]) => {
      const all = taken.reduce((set, { self }) => set | self, done)
      const left = open.filter((candidate) => !taken.includes(candidate))
      const more = taken.flatMap(({ followers }) =>
        followers.filter(({ before }) => (all & before) === before),
      )
      const next = [...new Set([...left, ...more])].sort((one, other) => one.place - other.place)
      return search(after, all, next, [...order, ...taken.map(({ place }) => place)])
    }

    // A read that fits changes nothing, and others may wait for it, so taking it at once rules out no order.
    const fitting = open.filter(
      ({ looks, action }) => looks && model.apply(state, action) !== undefined,
    )
    if (fitting.length > 0) return goOn(state, fitting)
    if ((done & owed) === owed) return { is: 'possible', order }
    if (order.length >= best.order.length) {
      best = { ...best, order, state, next: open.map(({ place }) => place) }
    }
    // What failed before fails again when even fewer uncertain steps are left.
    const key = `${(done & owed).toString(36)} ${model.key(state)}`
    const failed = tried.get(key) ?? []
    if (failed.some((before) => (before & done) === before)) return undefined
    tried.set(key, [...failed, done])
    if (++states > limit) return { is: 'undecided' }

    const alikes = new Set<string>()
    for (const candidate of open) {
      const { action, looks, alike } = candidate
      const after = looks ? undefined : model.apply(state, action)
      if (after === undefined) continue
      if (alike !== undefined) {
        if (alikes.has(alike) || model.key(after) === model.key(state)) continue
        alikes.add(alike)
      }
      const verdict = goOn(after, [candidate])
      if (verdict) return verdict
    }
    return undefined
  }

  const first = candidates.filter(({ before }) => before === 0n)
  return search(model.initial, 0n, first, []) ?? best
}

function candidatesOf<State, Action>(
  steps: readonly Step<Action>[],
  model: Model<State, Action>,
): Candidate<Action>[] {
  const candidates = steps.map(
    ({ action, after, certain }, place): Candidate<Action> => ({
      place,
      action,
      looks: model.onlyLooks(action),
      self: setOf([place]),
      before: setOf(after),
      followers: [],
      alike: certain ? undefined : JSON.stringify(action),
    }),
  )
  for (const [place, { after }] of steps.entries()) {
    const follower = candidates[place] as Candidate<Action>
    const direct = after.map((earlier) => candidates[earlier] as Candidate<Action>)
    // A step that comes before another one of these is never the last to wait for.
    const earlier = direct.reduce((set, { before }) => set | before, 0n)
    for (const one of direct) if ((earlier & one.self) === 0n) one.followers.push(follower)
  }
  return candidates
}

function setOf(places: readonly number[]): bigint {
  return places.reduce((set, place) => set | (1n << BigInt(place)), 0n)
}
