import { describe, expect, it } from 'vitest'
import { groupCommit } from '../src/store/group-commit.ts'

/** A database whose commits end when told to, and which notes what becomes of them. */
function database() {
  const done: string[] = []
  const commits: { succeed(): void; fail(): void }[] = []
  let open = 0
  const transact = async (work: (transaction: string[]) => Promise<void>) => {
    expect(++open, 'transactions at once').toBe(1)
    await work(done)
    await new Promise<void>((resolve, reject) => {
      commits.push({ succeed: resolve, fail: () => reject(new Error('the disk is full')) })
    }).finally(() => open--)
  }
  const write = groupCommit(transact)
  const answers: string[] = []
  return {
    done,
    answers,
    /** Writes, and notes the answer. */
    write(name: string) {
      write(async (transaction) => {
        transaction.push(name)
        return `${name} answered`
      }).then(
        (answer) => answers.push(answer),
        ({ message }) => answers.push(`${name}: ${message}`),
      )
    },
    /** Ends the commit that is under way, or is about to be. */
    async commit(how: 'succeed' | 'fail' = 'succeed') {
      while (commits.length === 0) await turn()
      commits.shift()?.[how]()
      await turn()
    },
    async idle() {
      for (let turns = 0; turns < 5; turns++) await turn()
      expect(commits).toEqual([])
    },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const names = (count: number) => Array.from({ length: count }, (_, index) => `write ${index}`)

describe('writes that share a commit', () => {
  it('contract A12: if it fails, all of them have, and the next go on', async () => {
    const { write, answers, commit, idle } = database()
    for (const name of names(3)) write(name)
    await commit('fail')
    expect(answers.splice(0)).toEqual(names(3).map((name) => `${name}: the disk is full`))
    write('the next')
    await commit()
    expect(answers).toEqual(['the next answered'])
    await idle()
  })

  it('contract A12: what comes while one is under way is in the next, never in a second at once, and none is answered before its own', async () => {
    const { write, done, answers, commit, idle } = database()
    write('first')
    await turn()
    await turn()
    write('second')
    write('third')
    await turn()
    expect([done, answers]).toEqual([['first'], []])
    await commit()
    expect(answers).toEqual(['first answered'])
    await commit()
    expect(answers).toEqual(['first answered', 'second answered', 'third answered'])
    await idle()
  })

  it('are 64 at most, so that the first of many is not answered with the last', async () => {
    const { write, answers, commit, idle } = database()
    for (const name of names(150)) write(name)
    for (const answered of [64, 128, 150]) {
      await commit()
      expect(answers).toHaveLength(answered)
    }
    await idle()
  })

  it('get the results of the try that counted', async () => {
    let tries = 0
    const write = groupCommit<undefined>(async (work) => {
      await work(undefined)
      await work(undefined)
    })
    const results = await Promise.all(['a', 'b'].map((name) => write(async () => name + ++tries)))
    expect(results).toEqual(['a3', 'b4'])
  })
})
