import { readFileSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'

/** A script for a page, with React and our sources at hand. */
export async function bundled(contents: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    define: {
      'process.env.NODE_ENV': '"production"',
      PLACARD_STYLES: JSON.stringify(readFileSync('dist/placard.css', 'utf8')),
    },
    bundle: true,
    format: 'iife',
    write: false,
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}
