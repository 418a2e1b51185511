import { readFileSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'

/** Bundles a script for a page; it can import React and our sources. */
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
