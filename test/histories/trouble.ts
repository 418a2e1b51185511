import { setTimeout as sleep } from 'node:timers/promises'
import type { Link, Proxy as TcpProxy } from '../postgres/proxy.ts'
import { oneOf, type Random } from './random.ts'

/** Faults of a node's network connections. Each returns a function that ends the fault. */
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
  freezeListening: (proxy: TcpProxy) => freeze([...proxy.links].filter((link) => link.listening)),
  freezeAnswers: (proxy: TcpProxy) => freeze([...proxy.links].filter((link) => !link.listening)),
  slow: delays('delayMs', 0, 300),
  /** Notifications of changes arrive at once, but the responses to queries arrive late. */
  slowAnswers: delays('answerDelayMs', 0, 40),
  verySlowAnswers: delays('answerDelayMs', 1_100, 1_400),
  /** Commits arrive, but the responses to them don't. */
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

/** A random delay between the two, which keeps changing. */
function delays(what: 'delayMs' | 'answerDelayMs', leastMs: number, mostMs: number) {
  return (proxy: TcpProxy, random: Random) => {
    const change = () => {
      proxy[what] = leastMs + random() * (mostMs - leastMs)
    }
    change()
    const timer = setInterval(change, 5)
    return () => {
      clearInterval(timer)
      proxy[what] = 0
    }
  }
}

function freeze(links: readonly Link[]): () => void {
  for (const link of links) link.freeze()
  return () => {
    for (const link of links) link.thaw()
  }
}

export type TroubleName = keyof typeof TROUBLES

/** Causes one fault after another until it is time to stop, then ends the last one. */
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
