import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The path of a file in the package. It is found by the package's name, so the sources and the build both find it. */
export function shipped(path: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('placard/package.json'))
  return join(root, path)
}
