import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The path of a file in the package, which is found by the package's name, from the sources and from the build. */
export function shipped(path: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('placard/package.json'))
  return join(root, path)
}
