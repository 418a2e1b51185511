/** A worker that searches for the fault in a history, because the search can take seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { faultIn } from './history.ts'

parentPort?.postMessage(faultIn(workerData.history, workerData.lagMs))
