import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { promisify } from 'node:util'
import { afterFile } from '../after-file.ts'
import { lacks } from '../aloud.ts'
import { freePort } from '../free-port.ts'
import { processes } from '../postgres/processes.ts'
import { blockAfter } from '../printed.ts'
import { SELF_SIGNED } from '../self-signed.ts'
import { soon } from '../soon.ts'
import { spawned } from '../spawned.ts'
import { temporaryDirectory } from '../stores.ts'

/** Where one proxy runs: its folder, its ports, and its configuration file. */
interface Place {
  directory: string
  port: number
  admin: number
  file: string
}

export interface Kind {
  name: 'nginx' | 'Caddy' | 'HAProxy' | 'Apache'
  command: string
  /** As the guide has it. */
  block: string
  /** What its configuration has besides the guide's block. */
  around(block: string, place: Place): string
  args(place: Place): string[]
  /** Reloads the configuration. Resolves when the new one is in use. */
  reload(proxy: ChildProcess, said: () => string, place: Place): Promise<unknown>
  /** The certificate to trust. */
  certificate: string
}

/** Sends a signal, and waits until the proxy has logged `done` once more. */
async function signalled(
  proxy: ChildProcess,
  signal: NodeJS.Signals,
  said: () => string,
  done: string,
) {
  const before = said().split(done).length
  proxy.kill(signal)
  await soon(() => {
    if (said().split(done).length <= before) throw new Error(`no new "${done}" in:\n${said()}`)
  })
}

export const KINDS: Kind[] = [
  {
    name: 'nginx',
    command: 'nginx',
    block: blockAfter('docs/proxies.md', '## nginx'),
    around: (block, { directory }) => `
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      daemon off;
      pid ${directory}/nginx.pid;
      error_log stderr notice;
      events {}
      http {
        access_log off;
        add_header X-Cache $upstream_cache_status;
        client_body_temp_path ${directory}/body;
        proxy_temp_path ${directory}/proxy;
        fastcgi_temp_path ${directory}/fastcgi;
        uwsgi_temp_path ${directory}/uwsgi;
        scgi_temp_path ${directory}/scgi;
        ${block}
      }`,
    args: ({ file }) => ['-e', 'stderr', '-c', file],
    reload: (proxy, said) => signalled(proxy, 'SIGHUP', said, 'gracefully shutting down'),
    certificate: 'localhost.pem',
  },
  {
    name: 'Caddy',
    command: 'caddy',
    block: blockAfter('docs/proxies.md', '## Caddy'),
    around: (block, { admin }) => `
      {
        admin 127.0.0.1:${admin}
        default_bind 127.0.0.1
        auto_https disable_redirects
        skip_install_trust
      }
      ${block}`,
    args: ({ file }) => ['run', '--config', file, '--adapter', 'caddyfile'],
    reload: (_, __, { file, admin, directory }) =>
      promisify(execFile)(
        'caddy',
        [
          ...['reload', '--force', '--config', file, '--adapter', 'caddyfile'],
          ...['--address', `127.0.0.1:${admin}`],
        ],
        { env: { ...process.env, HOME: directory } },
      ),
    // Caddy creates its own for a local name.
    certificate: '.local/share/caddy/pki/authorities/local/root.crt',
  },
  {
    name: 'HAProxy',
    command: 'haproxy',
    block: blockAfter('docs/proxies.md', '## HAProxy'),
    around: (block, { directory }) => `
global
  stats socket ${directory}/haproxy.sock expose-fd listeners
${block}`,
    args: ({ file }) => ['-W', '-f', file],
    reload: (proxy, said) => signalled(proxy, 'SIGUSR2', said, 'Loading success'),
    certificate: 'localhost.pem',
  },
]

const APACHE_MODULES =
  'mpm_event authz_core socache_shmcb slotmem_shm ssl http2 proxy proxy_http proxy_balancer lbmethod_byrequests'

const APACHE: Kind = {
  name: 'Apache',
  command: 'apache2',
  block: '',
  around: (block, { directory, port }) => `
ServerRoot ${directory}
ServerName localhost
PidFile ${directory}/apache.pid
ErrorLog |/bin/cat
Listen 127.0.0.1:${port}
DefaultRuntimeDir ${directory}
Mutex file:${directory}
${APACHE_MODULES.split(' ')
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
${block}`,
  args: ({ file }) => ['-DFOREGROUND', '-f', file],
  reload: (proxy, said) => signalled(proxy, 'SIGUSR1', said, 'configured'),
  certificate: 'localhost.pem',
}

/** The guide's proxies in front of two nodes. */
export const IN_FRONT_OF_TWO: Kind[] = [
  { ...(KINDS[0] as Kind), block: blockAfter('docs/proxies.md', 'nginx by default stops') },
  { ...(KINDS[1] as Kind), block: blockAfter('docs/proxies.md', 'Caddy by default tries') },
  { ...APACHE, block: blockAfter('docs/proxies.md', 'By default, Apache stops') },
]

export interface ProxyServer {
  port: number
  certificate: string
  reload(): Promise<unknown>
  /** Pauses all its processes, or lets them continue. */
  send(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Sends a command to HAProxy's socket. Resolves with the response. */
  tell(command: string): Promise<string>
}

export const isMissing = ({ command }: Kind) => process.platform !== 'linux' || lacks(command)

/** The guide's proxy in front of services on these ports. Only names, ports and paths differ. */
export async function startProxy(kind: Kind, ...services: number[]): Promise<ProxyServer> {
  const directory = temporaryDirectory()
  const [port, admin] = [await freePort(), await freePort()]
  const place = { directory, port, admin, file: `${directory}/conf` }
  const { key, cert } = SELF_SIGNED
  writeFileSync(`${directory}/localhost.key`, key)
  writeFileSync(`${directory}/localhost.pem`, cert)
  writeFileSync(`${directory}/localhost.both.pem`, `${cert}\n${key}`)
  const block = kind.block
    .replaceAll('/etc/ssl/notices.example', `${directory}/localhost`)
    .replaceAll('/var/cache/nginx', directory)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${services[0]}`)
    .replaceAll('10.0.0.1:3000', `127.0.0.1:${services[0]}`)
    .replaceAll('10.0.0.2:3000', `127.0.0.1:${services[1]}`)
    .replace('*:443', `127.0.0.1:${port}`)
    .replace(/:?\b443\b/, `127.0.0.1:${port}`)
    .replace(/^notices\.example/, `localhost:${port}`)
    .replaceAll('notices.example', 'localhost')
  writeFileSync(place.file, kind.around(block, place))
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: '', XDG_CONFIG_HOME: '' }
  const { child: proxy, ended, written } = spawned(kind.command, kind.args(place), { env })
  // The main process ends its workers.
  afterFile(async () => {
    proxy.kill()
    await ended
  })
  const certificate = await soon(async () => {
    // Once it has ended, waiting is pointless.
    if (proxy.exitCode !== null) return ''
    const ca = readFileSync(join(directory, kind.certificate), 'utf8')
    const socket = connectSecurely({ host: '127.0.0.1', port, ca, servername: 'localhost' })
    await once(socket, 'secureConnect')
    socket.destroy()
    return ca
  })
  if (proxy.exitCode !== null) throw new Error(`${kind.name} does not start:\n${written()}`)
  return {
    port,
    certificate,
    reload: () => kind.reload(proxy, written, place),
    send(signal) {
      const workers = processes().filter(({ parent }) => parent === proxy.pid)
      for (const pid of [proxy.pid ?? 0, ...workers.map(({ pid }) => pid)])
        process.kill(pid, signal)
    },
    async tell(command) {
      const socket = connect(`${directory}/haproxy.sock`)
      socket.end(`${command}\n`)
      const answer = await socket.setEncoding('utf8').toArray()
      return answer.join('')
    },
  }
}
