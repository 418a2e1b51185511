import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import * as z from 'zod'
import {
  printableProblem,
  secretsProblem,
  stripeKeyProblem,
  stripeUrlProblem,
} from '../core/secrets.ts'
import { isOrigin, pathOf, postgresUrl } from './address.ts'
import { purgeProblem, purgeTarget } from './purge-target.ts'

/** The settings as the program uses them. The service reads the environment only in this file. */
export type Config = ReturnType<typeof readConfig>

export type Database = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }

/** A secret's value, or the file that holds it, which is created on first use. */
export type SecretSetting = { value: string } | { file: string }

/** Lists all faults in the settings, one per line. The message never includes a setting's value (contract Settings). */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(['Fix these settings:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const integer = (fallback: number, max: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) <= max,
      `must be a whole number from 0 to ${max}`,
    )
    .transform(Number)
    .default(fallback)

/** A schema for text that must satisfy a rule. The rule returns the fault in the text, or `undefined`. */
const ruled = (rule: (text: string) => string | undefined) =>
  z
    .string()
    .check((ctx) => {
      const message = rule(ctx.value)
      if (message) ctx.issues.push({ code: 'custom', message, input: ctx.value })
    })
    .optional()

const Environment = z.object({
  NODE_ENV: z.string().optional(),
  // Accepts an IPv6 address in brackets, as in a URL.
  HOST: z
    .string()
    .default('127.0.0.1')
    .transform((host) => host.replace(/^\[(.+)\]$/, '$1')),
  PORT: integer(3000, 65_535),
  // A file that holds a setting often ends with a line break.
  DATABASE_URL: z
    .string()
    .overwrite((url) => url.trimEnd())
    .refine(
      (url) => (url.startsWith('file:') ? pathOf(url) : postgresUrl(url) !== null),
      'must be file:PATH or postgres://…',
    )
    // Without a shell, `~` would become a folder of that name.
    .refine((url) => !/^file:~/.test(url), 'must be a path without ~: write out the home folder')
    .default('file:data/placard.db'),
  EVENT_API_SECRET: ruled(secretsProblem),
  STRIPE_WEBHOOK_SECRET: ruled(secretsProblem),
  STRIPE_API_KEY: ruled(stripeKeyProblem),
  STRIPE_API_URL: ruled(stripeUrlProblem),
  PURGE: ruled(purgeProblem),
  PURGE_TOKEN: ruled(printableProblem),
  PUBLIC_PAGE: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  PUBLIC_URL: z
    .string()
    .refine(isOrigin, 'must be http://HOST or https://HOST, with an optional :PORT and no path')
    .transform((url) => new URL(url).origin)
    .optional(),
  TRUST_PROXY: integer(0, 32),
  MAX_STREAMS: integer(10_000, 1_000_000),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
  LOCALES_DIR: z.string().optional(),
})

type Settings = z.infer<typeof Environment>
type Variables = Record<string, string | undefined>

/** Each setting that holds a secret, with the file that holds the secret if the setting is missing. */
const SECRET_FILES = {
  EVENT_API_SECRET: 'event-api-secret',
  STRIPE_WEBHOOK_SECRET: 'stripe-webhook-secret',
}
export type SecretName = keyof typeof SECRET_FILES

/**
 * Reads the settings from the environment, and any missing ones from the file `.env`.
 *
 * @throws ConfigError naming every fault at once
 */
export function readConfig(environment: Variables = process.env, directory = process.cwd()) {
  const given = read(environment, directory)
  const purge = purgeTarget(given.PURGE ?? '', given.PURGE_TOKEN) ?? null
  const faults = missing(given, NEW_SECRET)
  if (purge && /^(cloudflare|fastly)$/.test(purge.kind) && purge.token === undefined) {
    faults.push(`PURGE_TOKEN is required with PURGE=${purge.kind}:…`)
  }
  const env = check(given, faults)
  return {
    host: env.HOST,
    port: env.PORT,
    database: databaseOf(env, directory),
    // The API secret is never null: if it isn't set, it is generated on first use, or else `check` has thrown.
    apiSecret: secretSetting('EVENT_API_SECRET', env, directory) as SecretSetting,
    /** If this is `null`, `POST /api/webhooks` returns 503 (contract W1). */
    stripeWebhookSecret: secretSetting('STRIPE_WEBHOOK_SECRET', env, directory),
    /** If this is `null`, the service never sends requests to Stripe (contract T1). */
    stripe: env.STRIPE_API_KEY ? { apiKey: env.STRIPE_API_KEY, apiUrl: env.STRIPE_API_URL } : null,
    purge,
    publicPage: env.PUBLIC_PAGE === 'on',
    /** An origin, or `null` for the address that the service listens on. */
    publicUrl: env.PUBLIC_URL ?? null,
    trustProxy: env.TRUST_PROXY,
    maxStreams: env.MAX_STREAMS,
    logLevel: env.LOG_LEVEL,
    /** The path of the locales, or `null` for those in the package. */
    localesDir: env.LOCALES_DIR === undefined ? null : resolve(directory, env.LOCALES_DIR),
    production: env.NODE_ENV === 'production',
  }
}

/**
 * Reads only the settings that a command needs to reach a service; all other settings may be invalid. The settings that
 * locate the secret file aren't needed if the secret itself is set.
 *
 * @throws ConfigError naming every fault at once
 */
export function readAccess(
  needs: { port: boolean; secret?: SecretName | null },
  environment: Variables = process.env,
  directory: string = process.cwd(),
) {
  const given = read(environment, directory)
  const { port, secret } = needs
  const used: string[] = port ? ['HOST', 'PORT'] : []
  if (secret) used.push(secret)
  if (secret && given[secret] === undefined) used.push('DATABASE_URL', 'NODE_ENV')
  const faults = secret === 'EVENT_API_SECRET' ? missing(given, THE_SECRET) : []
  const env = check(Object.fromEntries(used.map((name) => [name, given[name]])), faults)
  const setting = secret ? secretSetting(secret, env, directory) : null
  const dotenv = resolve(directory, '.env')
  const isFromEnvironment = secret && environment[secret]
  const own = isFromEnvironment ? 'the environment' : dotenv
  /** Where the secret comes from: its file, the environment, or `.env` if the environment lacks the secret. */
  const origin = setting && ('file' in setting ? setting.file : own)
  const names = ['HOST', 'PORT'].filter((name) => port && given[name] !== environment[name])
  /** Why the secret mustn't be sent: a folder's `.env` must not decide where a secret from the environment goes. */
  const astray =
    isFromEnvironment && names.some((name) => given[name])
      ? `${secret} is from the environment, but ${names.join(' and ')} from ${dotenv}, so it wasn't sent. ${SAY_WHERE}`
      : undefined
  return { host: env.HOST, port: env.PORT, secret: setting, origin, astray }
}

const SAY_WHERE =
  "Give the service's address with --url, or put both into the environment or into .env"

/** Reads the location of the database. Other settings may be missing or invalid. @throws ConfigError */
export function readDatabase(environment: Variables = process.env, directory = process.cwd()) {
  const { DATABASE_URL } = read(environment, directory)
  return databaseOf(check({ DATABASE_URL }), directory)
}

/** Reads the environment variables, and any missing ones from the file `.env`. */
function read(environment: Variables, directory: string): Variables {
  const dotenv = resolve(directory, '.env')
  // In a folder that this user can't enter, `.env` counts as missing.
  const written = existsSync(dotenv) ? readSmallFile(dotenv, READ_DOTENV) : undefined
  const variables = parseEnv(written ?? '')
  return { ...withoutEmpty(variables), ...withoutEmpty(environment) }
}

const READ_DOTENV =
  "Let this user read it, or run the command as the service's user or in another folder"

/**
 * Returns the content of a small file, without white space or a byte order mark around it; `undefined` if it's missing.
 *
 * @param fix the advice to give if this user can't read the file
 * @throws ConfigError
 */
export function readSmallFile(file: string, fix: string): string | undefined {
  let text: string
  try {
    text = textIn(readFileSync(file)).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new ConfigError([`This user can't read ${file} (${code}). ${fix}`])
  }
  if (!text.includes('\0')) return text
  throw new ConfigError([`${file} is not text in UTF-8. Save the file as UTF-8`])
}

/** Decodes a file. The `>` of Windows PowerShell writes UTF-16 with a byte order mark. */
function textIn(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

/** @throws ConfigError naming the given faults, and those that the schema finds */
function check(given: Variables, faults: string[] = []): Settings {
  const { success, data, error } = Environment.safeParse(given)
  const found = error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) ?? []
  if (!success || faults.length > 0) throw new ConfigError([...found, ...faults])
  return data
}

const NEW_SECRET = 'at least 16 characters, e.g. from `openssl rand -hex 24`'
const THE_SECRET = 'set it to the secret of the service at --url'

/** Returns a fault if the API secret is missing and the service wouldn't generate one. @param fix the advice to add */
function missing({ EVENT_API_SECRET, NODE_ENV, DATABASE_URL }: Variables, fix: string): string[] {
  const production = NODE_ENV === 'production'
  if (EVENT_API_SECRET !== undefined || !(production || DATABASE_URL?.startsWith('postgres'))) {
    return []
  }
  const when = production ? 'NODE_ENV=production' : 'DATABASE_URL is postgres://…'
  return [`EVENT_API_SECRET is required when ${when}: ${fix}`]
}

/**
 * Returns the secret if it is set. Otherwise, returns its file beside the database, or `null` in production and with
 * Postgres.
 */
function secretSetting(name: SecretName, env: Settings, directory: string): SecretSetting | null {
  const { [name]: value } = env
  if (value !== undefined) return { value }
  const database = databaseOf(env, directory)
  if (env.NODE_ENV === 'production' || database.kind === 'postgres') return null
  return { file: resolve(dirname(database.path), SECRET_FILES[name]) }
}

function databaseOf({ DATABASE_URL: url }: Settings, directory: string): Database {
  if (url.startsWith('postgres')) return { kind: 'postgres', url }
  return { kind: 'sqlite', path: resolve(directory, pathOf(url) as string) }
}

/** Drops empty variables, because many compose files turn an unset variable into an empty one. */
function withoutEmpty(settings: Variables): Variables {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value))
}
