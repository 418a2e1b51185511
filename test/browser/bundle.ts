import { type BuildOptions, build } from 'esbuild'

/** A script for a page, with React and our sources at hand. */
export async function bundled(contents: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    define: { 'process.env.NODE_ENV': '"production"' },
    bundle: true,
    format: 'iife',
    write: false,
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}
