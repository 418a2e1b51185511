import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/free-port.ts'
import { blockAfter } from '../test/printed.ts'
import { start, type Target } from './processes.ts'

/** Starts nginx, which serves one body from memory at `/memory` and from a file at `/`. */
export function startStatic(body: string): Promise<Target> {
  return startNginx((root, port) => {
    writeFileSync(join(root, 'index.html'), body)
    const memory = `location = /memory { return 200 '${body.replaceAll(/['\\$]/g, '')}'; }`
    const server = `listen 127.0.0.1:${port}; root ${root}; ${memory}`
    return { http: `sendfile on; open_file_cache max=10; server { ${server} }` }
  })
}

/** Starts the guide's one-second cache in front of a service, without TLS. */
export function startMicroCache(service: Target): Promise<Target> {
  const block = blockAfter('docs/scaling.md', '### nginx, if changes may show two seconds late')
  return startNginx((root, port) => ({
    http: block
      .replaceAll(/^ *ssl_.*$/gm, '')
      .replace('443 ssl http2', `127.0.0.1:${port}`)
      .replaceAll('/var/cache/nginx', root)
      .replaceAll('http://127.0.0.1:3000', service.url),
  }))
}

interface NginxConfig {
  /** Directives outside any block. */
  main?: string
  connections?: number
  /** The directives of the block `http`. */
  http: string
}

/** Starts nginx with one worker, because Placard is one process. */
export async function startNginx(
  configure: (root: string, port: number) => NginxConfig,
): Promise<Target> {
  const port = await freePort()
  const root = mkdtempSync(join(tmpdir(), 'placard-nginx-'))
  const config = join(root, 'nginx.conf')
  const { main = '', connections = 1024, http } = configure(root, port)
  writeFileSync(
    config,
    `${main} daemon off; worker_processes 1; pid ${root}/pid; error_log /dev/null;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections ${connections}; }
    http { access_log off; keepalive_requests 1000000000; ${http} }`,
  )
  const target = await start(port, ['nginx', '-c', config, '-p', root])
  return {
    ...target,
    async stop() {
      await target.stop()
      rmSync(root, { recursive: true })
    },
  }
}
