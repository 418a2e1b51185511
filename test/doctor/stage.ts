import { request as ask, createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import pino from 'pino'
import type { DoctorOptions } from '../../src/cli/doctor/diagnose.ts'
import { createPlacard } from '../../src/placard.ts'
import type { PlacardOptions } from '../../src/placard-options.ts'
import { readConfig } from '../../src/server/config.ts'
import { serve } from '../../src/server/serve.ts'
import { afterFile } from '../after-file.ts'
import { DRAFT, httpMount, notify, publish, SECRETS, STRIPE_SECRET } from '../harness.ts'
import { listen } from '../raw.ts'
import { temporaryDirectory } from '../stores.ts'

/** What a test opens is closed after the file. */
export function open<T extends { close(): unknown }>(one: T): T {
  afterFile(() => one.close())
  return one
}

/** No deadline should pass because a machine is busy with tests. */
export const PACE = 5

/** What the doctor is told, and a service that it finds by that. */
export interface Patient extends DoctorOptions {
  /** Less than a person's, who has one service to look at. */
  holdMs: number
  address: string
}

const patientAt = (port: string | number, environment: object, directory: string): Patient => ({
  environment: { ...environment, PORT: String(port) },
  directory,
  address: `http://127.0.0.1:${port}`,
  holdMs: 100,
})

/** The standalone service in this process. It makes its own secrets, unless it is given some. */
export async function patient(environment: Record<string, string> = {}): Promise<Patient> {
  const directory = temporaryDirectory()
  const config = readConfig({ PORT: '0', ...environment }, directory)
  const service = await serve(config, pino({ level: 'silent' }))
  afterFile(service.stop)
  return patientAt(new URL(service.url).port, environment, directory)
}

/** A service that an app mounts. */
export async function mounted(
  options: Omit<PlacardOptions, 'apiSecret'>,
  peer?: string,
): Promise<Patient> {
  const placard = createPlacard({
    apiSecret: SECRETS.EVENT_API_SECRET,
    stripeWebhookSecret: STRIPE_SECRET,
    ...options,
  })
  // Apps mount `/api`, as in Next.js, and have no `/healthz`.
  const listener = getRequestListener((request, { incoming }) =>
    request.url.endsWith('/healthz')
      ? new Response(null, { status: 404 })
      : placard.fetch(request, { address: peer ?? incoming.socket.remoteAddress }),
  )
  const port = await listen(createServer(listener), afterFile)
  afterFile(placard.close)
  return patientAt(port, SECRETS, temporaryDirectory())
}

/** One to which this has happened. */
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
  /** Whether more seems to come. */
  isEndless?: boolean | undefined
}

/** Its own answer to a path, or to all; `false` for none ever, or nothing to pass the request on. */
type Answers = Record<string, Own | false> | ((path: string) => Own | false | undefined)

/**
 * A proxy, or what takes its place. It answers what it wants by itself, and passes the rest on.
 *
 * @param forwards whether it appends to X-Forwarded-For
 */
export async function front(own: Answers = {}, forwards = true) {
  const made = {
    /** Where it passes requests on to. */
    target: '',
    url: '',
    /** All that it was sent, but for the bodies. */
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

/** A service that is asked by way of a proxy. */
export async function through(own: Answers): Promise<Patient> {
  const proxy = await front(own)
  const served = await patient({ TRUST_PROXY: '1' })
  proxy.target = served.address
  return { ...served, url: proxy.url }
}

/** A service behind a proxy, through which the public reaches it. */
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

/** Puts something up on a service that has the usual secrets. */
export async function announce(served: Patient, text: string, status = 201): Promise<void> {
  expectStatus(await publish(mountOf(served), { ...DRAFT, text }), status)
}

/** Delivers a notification that is signed with this secret. */
export async function deliver(served: Patient, one: object, status = 200, secret?: string) {
  expectStatus(await notify(mountOf(served, secret), one), status)
}
