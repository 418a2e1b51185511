import { gzipSync } from 'node:zlib'
import { type Child, jsx } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import files from '#admin-files' with { type: 'json' }
import { checksum } from '../core/checksum.ts'
import { memoize } from '../core/once.ts'
import { NO_STORE, pagePolicy } from '../http/headers.ts'
import { createResource, type Resource } from '../http/resource.ts'

/** The security headers of the admin's responses (contract O3). */
const SECURITY = {
  'Content-Security-Policy': pagePolicy("'self'"),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer`, browsers would send a form with `Origin: null`.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Creates a response with a whole page, or with parts of a page for the admin's script. */
export function html(content: JSX.Element | Child[], status = 200): Response {
  const markup = String(Array.isArray(content) ? jsx('div', {}, ...content) : content)
  return new Response(markup.startsWith('<html') ? `<!doctype html>${markup}` : markup, {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...SECURITY, ...NO_STORE },
  })
}

export function seeOther(location: string, ...cookies: string[]): Response {
  const headers = new Headers({ Location: location, ...SECURITY, ...NO_STORE })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

export const ADMIN_ASSETS = ['admin-page.js', 'admin-page.css', 'placard.css'] as const

const assets = new Map<string, Resource>()

/** A static file. Browsers revalidate it on every page load, so no page uses a file from another version. */
export function asset(name: (typeof ADMIN_ASSETS)[number]): Resource {
  return memoize(assets, name, () => {
    const body = new TextEncoder().encode(files[name])
    const headers = {
      ...SECURITY,
      'Content-Type': `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Encoding',
    }
    const tag = `"${checksum(files[name])}"`
    return createResource(body, tag, headers, Uint8Array.from(gzipSync(body)))
  })
}
