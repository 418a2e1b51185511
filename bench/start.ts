import { resident, startBare, startPlacard } from './processes.ts'
import { atMost, median, type Row } from './report.ts'

/** Measures the time from the start of the process to its first response, and its memory at that point. */
export async function benchStart(rounds: number, progress: (text: string) => void): Promise<Row[]> {
  const times: number[] = []
  const sizes: number[] = []
  const bareTimes: number[] = []
  const bareSizes: number[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`start: ${round} of ${rounds}`)
    const placard = await startPlacard()
    times.push(placard.startMs)
    sizes.push(resident(placard.pid))
    await placard.stop()
    const bare = await startBare()
    bareTimes.push(bare.startMs)
    bareSizes.push(resident(bare.pid))
    await bare.stop()
  }
  const time = median(times)
  const size = median(sizes)
  return [
    {
      ...atMost(150, 'start to first response', time, 'ms'),
      reference: 'bare node:http',
      ratio: time / median(bareTimes),
    },
    {
      ...atMost(70, 'resident memory after start', size, 'MiB'),
      reference: 'bare node:http',
      ratio: size / median(bareSizes),
    },
  ]
}
