import { request as ask, createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import pino from 'pino'
import type { DoctorOptions } from '../../src/cli/doctor/diagnose.ts'
import { readConfig } from '../../src/local/config.ts'
import { createPlacard } from '../../src/placard.ts'
import type { PlacardOptions } from '../../src/placard-options.ts'
import { serve } from '../../src/server/serve.ts'
import { afterFile } from '../after-file.ts'
import { DRAFT, httpMount, notify, publish, SECRETS, STRIPE_SECRET } from '../harness.ts'
import { listen } from '../raw.ts'
import { temporaryDirectory } from '../stores.ts'

/** Closes something after the test file. */
export function open<T extends { close(): unknown }>(one: T): T {
  afterFile(() => one.close())
  return one
}

/** Multiplies the doctor's timeouts, so that none expires because the machine is busy with tests. */
export const PACE = 5

/** A service, and the options with which the doctor finds it. */
export interface Patient extends DoctorOptions {
  /** Shorter than the default, because the tests examine many services. */
  holdMs: number
  address: string
}

const patientAt = (port: string | number, environment: object, directory: string): Patient => ({
  environment: { ...environment, PORT: String(port) },
  directory,
  address: `http://127.0.0.1:${port}`,
  holdMs: 100,
})

/** Starts the standalone service in this process. It generates its secrets unless the environment sets them. */
export async function patient(environment: Record<string, string> = {}): Promise<Patient> {
  const directory = temporaryDirectory()
  const config = readConfig({ PORT: '0', ...environment }, directory)
  const service = await serve(config, pino({ level: 'silent' }))
  afterFile(service.stop)
  return patientAt(new URL(service.url).port, environment, directory)
}

/** Mounts the service in an app. */
export async function mounted(
  options: Omit<PlacardOptions, 'apiSecret'>,
  peer?: string,
): Promise<Patient> {
  const placard = createPlacard({
    apiSecret: SECRETS.EVENT_API_SECRET,
    stripeWebhookSecret: STRIPE_SECRET,
    ...options,
  })
  // Apps mount only `/api`, as in Next.js, so there is no `/healthz`.
  const listener = getRequestListener((request, { incoming }) =>
    request.url.endsWith('/healthz')
      ? new Response(null, { status: 404 })
      : placard.fetch(request, { address: peer ?? incoming.socket.remoteAddress }),
  )
  const port = await listen(createServer(listener), afterFile)
  afterFile(placard.close)
  return patientAt(port, SECRETS, temporaryDirectory())
}

/** Starts a service and does something to it. */
export async function after(made: Promise<Patient>, happen: (it: Patient) => unknown) {
  const served = await made
  await happen(served)
  return served
}

interface Own {
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string | Buffer
  /** Whether the response never ends. */
  isEndless?: boolean | undefined
}

/** The proxy's own response, to some paths or all. `false` never responds, and `undefined` forwards the request. */
type Answers = Record<string, Own | false> | ((path: string) => Own | false | undefined)

/**
 * Starts a proxy that responds to some requests itself and forwards the others.
 *
 * @param forwards whether the proxy appends the client address to X-Forwarded-For
 */
export async function front(own: Answers = {}, forwards = true) {
  const made = {
    /** The address to which it forwards requests. */
    target: '',
    url: '',
    /** The request lines and headers that it received. */
    received: [] as string[],
  }
  const server = createServer((request, response) => {
    const { url: path = '', method, headers, socket } = request
    made.received.push(`${method} ${path} ${JSON.stringify(headers)}`)
    const answer = typeof own === 'function' ? own(path) : own[path]
    if (answer === false) return
    if (answer) {
      const { status = 200, type = 'application/json', body } = answer
      response.writeHead(status, { 'Content-Type': type, ...answer.headers }).write(body)
      return answer.isEndless || response.end()
    }
    const before = headers['x-forwarded-for']
    const entry = { 'x-forwarded-for': [...(before ? [before] : []), socket.remoteAddress].join() }
    const passed = ask(
      `${made.target}${path}`,
      { method, headers: { ...headers, ...(forwards && entry) } },
      (given) => {
        response.writeHead(given.statusCode ?? 502, given.headers)
        given.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  made.url = `http://127.0.0.1:${await listen(server, afterFile)}`
  return made
}

/** A service that the doctor reaches through a proxy. */
export async function through(own: Answers): Promise<Patient> {
  const proxy = await front(own)
  const served = await patient({ TRUST_PROXY: '1' })
  proxy.target = served.address
  return { ...served, url: proxy.url }
}

/** A service whose `PUBLIC_URL` is a proxy. */
export async function behind(
  proxy: Awaited<ReturnType<typeof front>>,
  environment: Record<string, string> = {},
): Promise<Patient> {
  const served = await patient({ TRUST_PROXY: '1', PUBLIC_URL: proxy.url, ...environment })
  proxy.target = served.address
  return served
}

const mountOf = ({ address }: Patient, stripeSecret = STRIPE_SECRET) =>
  httpMount(address, SECRETS.EVENT_API_SECRET, stripeSecret)

function expectStatus(response: Response, status: number): void {
  if (response.status !== status) throw new Error(`It was answered ${response.status}`)
}

/** Publishes an announcement on a service that has the usual secrets. */
export async function announce(served: Patient, text: string, status = 201): Promise<void> {
  expectStatus(await publish(mountOf(served), { ...DRAFT, text }), status)
}

/** Delivers a notification signed with the given secret. */
export async function deliver(served: Patient, one: object, status = 200, secret?: string) {
  expectStatus(await notify(mountOf(served, secret), one), status)
}
