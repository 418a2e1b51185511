import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A file that comes with the package, found by the package's own name: from the sources and the build alike. */
export function shipped(path: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('placard/package.json'))
  return join(root, path)
}
