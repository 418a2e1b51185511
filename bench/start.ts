import { readFileSync } from 'node:fs'
import { startPlacard } from './processes.ts'
import { median, type Row } from './report.ts'

/** From the start of the process to its first answer, and what it weighs then. */
export async function benchStart(rounds: number, progress: (text: string) => void): Promise<Row[]> {
  const times: number[] = []
  const sizes: number[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`start: ${round} of ${rounds}`)
    const placard = await startPlacard()
    times.push(placard.startMs)
    const status = readFileSync(`/proc/${placard.pid}/status`, 'utf8')
    sizes.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
    await placard.stop()
  }
  const time = median(times)
  const size = median(sizes)
  return [
    {
      what: 'start to first answer',
      value: `${time.toFixed(0)} ms`,
      bound: '≤ 150 ms',
      holds: time <= 150,
    },
    {
      what: 'resident after start',
      value: `${size.toFixed(0)} MiB`,
      bound: '≤ 70 MiB',
      holds: size <= 70,
    },
  ]
}
