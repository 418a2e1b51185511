import { existsSync, readFileSync } from 'node:fs'
import { RESERVED_DESCRIPTORS } from '../src/local/descriptors.ts'
import { startNginx } from './nginx.ts'
import { has, type Source } from './processes.ts'

/** With the id that nchan adds, each message is as long as ours with the bench's bar: about 1,050 bytes. */
const MESSAGE_BYTES = 1_025
/** Where Debian's `libnginx-mod-nchan` puts the module. */
const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so'

/** Starts nginx with its module for streams and one worker; `undefined` where it isn't installed. */
export async function startNchan(streams: number): Promise<Source | undefined> {
  if (!has('nginx') || !existsSync(MODULE)) return undefined
  const { url, pid, stop } = await startNginx((root, port) => ({
    main: `load_module ${MODULE}; worker_rlimit_nofile ${streams + RESERVED_DESCRIPTORS};`,
    // nginx closes idle connections once fewer than a sixteenth of its connections are free.
    connections: 2 * streams,
    http: `server { listen 127.0.0.1:${port}; root ${root};
      location = /read { return 200 "{}"; }
      location = /api/events { nchan_publisher; nchan_channel_id all; nchan_message_buffer_length 1; }
      location = /api/events/stream { nchan_subscriber eventsource; nchan_channel_id all; } }`,
  }))
  // The worker holds the streams. The process that was started only supervises it.
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return {
    url,
    pid: Number(workers[0]),
    read: `${url}/read`,
    async publish(change) {
      const body = JSON.stringify({ text: `Change number ${change}` }).padEnd(MESSAGE_BYTES)
      const response = await fetch(`${url}/api/events`, { method: 'POST', body })
      if (!response.ok) throw new Error(`nchan answered ${response.status}`)
    },
    stop,
  }
}
