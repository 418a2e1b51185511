import { setTimeout as sleep } from 'node:timers/promises'
import type { Link, Proxy as TcpProxy } from '../postgres/proxy.ts'
import { oneOf, type Random } from './random.ts'

/** What a network does to the connections of one node, until the function that each returns is called. */
export const TROUBLES = {
  cut(proxy: TcpProxy) {
    for (const link of proxy.links) link.reset()
    return () => {}
  },
  refuse(proxy: TcpProxy) {
    proxy.refuse()
    return proxy.accept
  },
  freeze(proxy: TcpProxy) {
    proxy.freeze()
    return proxy.thaw
  },
  freezeListening(proxy: TcpProxy) {
    return freeze([...proxy.links].filter(({ listening }) => listening))
  },
  freezeAnswers(proxy: TcpProxy) {
    return freeze([...proxy.links].filter(({ listening }) => !listening))
  },
  slow(proxy: TcpProxy, random: Random) {
    return unsteady(random, 0, 300, (ms) => {
      proxy.delayMs = ms
    })
  },
  /** Notifications of changes come at once, and the answers to queries come late. */
  slowAnswers(proxy: TcpProxy, random: Random) {
    return unsteady(random, 0, 40, (ms) => {
      proxy.answerDelayMs = ms
    })
  },
  verySlowAnswers(proxy: TcpProxy, random: Random) {
    return unsteady(random, 1_100, 1_400, (ms) => {
      proxy.answerDelayMs = ms
    })
  },
  /** Commits arrive, and the answers to them don't. */
  loseCommitted(proxy: TcpProxy) {
    let committing: Link | undefined
    proxy.inspect = (chunk, direction, link) => {
      if (direction === 'up' && chunk.includes('commit\0')) committing = link
      if (direction === 'up' || committing !== link) return true
      committing = undefined
      link.reset()
      return false
    }
    return () => {
      proxy.inspect = () => true
    }
  },
}

/** A delay between the two, another one every now and then. */
function unsteady(
  random: Random,
  leastMs: number,
  mostMs: number,
  set: (ms: number) => void,
): () => void {
  const change = () => set(leastMs + random() * (mostMs - leastMs))
  change()
  const timer = setInterval(change, 5)
  return () => {
    clearInterval(timer)
    set(0)
  }
}

function freeze(links: readonly Link[]): () => void {
  for (const link of links) link.freeze()
  return () => {
    for (const link of links) link.thaw()
  }
}

export type TroubleName = keyof typeof TROUBLES

/** Troubles one after the other until it is time to stop. Then all is well again. */
export async function trouble(
  proxy: TcpProxy,
  { troubles, troubleMs }: { troubles: readonly TroubleName[]; troubleMs: number },
  random: Random,
  goesOn: () => boolean,
): Promise<void> {
  while (goesOn()) {
    await sleep(random() * 200)
    const end = TROUBLES[oneOf(random, troubles)](proxy, random)
    const until = performance.now() + troubleMs
    while (goesOn() && performance.now() < until) await sleep(10)
    end()
  }
}
