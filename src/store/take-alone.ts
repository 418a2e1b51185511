import { pathToFileURL } from 'node:url'
import { connect } from './sqlite-driver.ts'
import { isBusy } from './sqlite-file.ts'

/**
 * Takes a database for this process alone, and writes the contents of its log into the file.
 *
 * A process that has the file open in WAL mode always holds a lock, and the mode can't be left while others hold one. A
 * service that starts meanwhile waits.
 *
 * @returns a function that releases it
 * @throws if another process has it open
 */
export function takeAlone(file: string): () => void {
  const url = pathToFileURL(file)
  url.search = '?mode=rw'
  const database = connect(url)
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    if (!isBusy(error)) return () => database.close()
    database.close()
    throw new Error(`A service has ${file} open. Stop it, then try again`, { cause: error })
  }
  return () => database.close()
}
