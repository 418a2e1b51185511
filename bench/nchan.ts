import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RESERVED_DESCRIPTORS } from '../src/server/descriptors.ts'
import { freePort, has, start } from './processes.ts'
import type { Source } from './streams.ts'

/** Where Debian's `libnginx-mod-nchan` puts the module. */
const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so'

/** nginx with its module for streams, one worker; `undefined` where it isn't installed. */
export async function startNchan(streams: number): Promise<Source | undefined> {
  if (!has('nginx') || !existsSync(MODULE)) return undefined
  const port = await freePort()
  const root = mkdtempSync(join(tmpdir(), 'placard-nchan-'))
  const config = join(root, 'nginx.conf')
  writeFileSync(
    config,
    `load_module ${MODULE};
    daemon off; worker_processes 1; worker_rlimit_nofile ${streams + RESERVED_DESCRIPTORS};
    pid ${root}/pid; error_log /dev/null;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    # nginx closes what is idle once only a sixteenth of these is left.
    events { worker_connections ${2 * streams}; }
    http { access_log off; keepalive_requests 1000000000;
      server { listen 127.0.0.1:${port}; root ${root};
        location = /read { return 200 "{}"; }
        location = /api/events { nchan_publisher; nchan_channel_id all; nchan_message_buffer_length 1; }
        location = /api/events/stream { nchan_subscriber eventsource; nchan_channel_id all; } } }`,
  )
  const { url, pid, stop } = await start(port, ['nginx', '-c', config, '-p', root])
  // The worker has the streams, and the process that was started only watches it.
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return {
    url,
    pid: Number(workers[0]),
    read: `${url}/read`,
    async publish(change) {
      const body = JSON.stringify({ event: { text: `Change number ${change}` } })
      const response = await fetch(`${url}/api/events`, { method: 'POST', body })
      if (!response.ok) throw new Error(`nchan answered ${response.status}`)
    },
    async stop() {
      await stop()
      rmSync(root, { recursive: true })
    },
  }
}
