import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import messages from '../locales/messages/en.json' with { type: 'json' }
import { HEADERS } from '../src/http/openapi-components.ts'
import { DOCUMENT, faultsIn, OPERATIONS, REFUSALS, resolved, statusesOf } from './documented.ts'
import { blocksIn, read } from './printed.ts'

const contentsOf = (one: unknown) =>
  Object.values((resolved(one) as { content?: Record<string, Content> }).content ?? {})
type Content = { schema: Record<string, unknown> }

describe('contract R11: the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(DOCUMENT))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(DOCUMENT.openapi).toMatch(/^3\.1\./)
  })

  it('has a unique name for each operation, and no unused component except responses that belong to no operation', () => {
    const names = OPERATIONS.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    const text = JSON.stringify(DOCUMENT)
    const unused = Object.entries(DOCUMENT.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `/components/${kind}/${name}`))
      .filter((pointer) => !text.includes(`#${pointer}"`))
    expect(unused).toEqual([
      '/components/responses/NotFound',
      '/components/responses/MethodNotAllowed',
      '/components/responses/Preflight',
    ])
  })

  it('has examples that match their schemas', () => {
    let count = 0
    JSON.stringify(DOCUMENT.components.schemas, (_, schema) => {
      for (const example of schema?.examples ?? []) {
        expect(faultsIn(example, schema)).toEqual([])
        count++
      }
      return schema
    })
    expect(count).toBeGreaterThan(20)
  })
})

/** The request that a heading is about, if the heading doesn't name it. */
const ANSWERED_BY: Record<string, string> = { 'What the response says': '`POST /api/webhooks`' }

describe('docs/http-api.md', () => {
  it('contract A11, A16, R8: lists every code with its sentence', () => {
    const listed = page.slice(page.indexOf('\n## Codes')).match(/^\| `\w+` \| .*$/gm)
    const { problems, requests, warnings, reasons } = messages
    const { invalid_body: _, ...others } = requests
    const all = Object.entries({ ...problems, ...others, ...warnings, ...reasons })
    expect(listed).toEqual(all.map(([code, sentence]) => `| \`${code}\` | ${sentence} |`))
  })

  const page = read('docs/http-api.md')
  const sections = page.split(/^## /m).map((section) => [section.split('\n')[0] ?? '', section])
  const under = (heading: string) => sections.find(([first]) => first === heading)?.[1] ?? ''
  /** The first cell of each table row in a text. */
  const firstCells = (text: string) =>
    [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell).filter((it) => it !== '---')

  it('lists every request, who may send it, and its statuses', () => {
    const rows = OPERATIONS.map((operation) => {
      const { method, path, summary, security } = operation
      const [who = 'everybody'] = security.flatMap(Object.keys)
      const may = { everybody: 'everybody', bearer: 'the API secret', signature: 'Stripe' }[who]
      const request = `\`${method.toUpperCase()} ${path}\``
      return `| ${request} | ${summary} | ${may} | ${statusesOf(operation).join(', ')} |`
    })
    expect(under('All requests').match(/^\| `.*$/gm)).toEqual(rows)
  })

  it('lists exactly the fields of a draft', () => {
    const { properties = {} } = DOCUMENT.components.schemas.Draft as { properties?: object }
    const fields = firstCells(under('`POST /api/events`')).filter((cell) => cell.startsWith('`'))
    expect(fields.map((cell) => cell.slice(1, -1)).toSorted()).toEqual(
      Object.keys(properties).toSorted(),
    )
  })

  it('explains every error status, and no other', () => {
    const given = firstCells(under('Errors')).flatMap((cell) => cell.match(/\d{3}/g) ?? [])
    const all = OPERATIONS.flatMap(statusesOf)
    const errors = [...new Set([...all, '405', ...REFUSALS])].filter(
      (status) => Number(status) >= 400,
    )
    expect(given.toSorted()).toEqual(errors.toSorted())
  })

  it('shows responses that match the OpenAPI document', () => {
    const shown = [
      ...blocksIn('docs/http-api.md', 'json'),
      ...blocksIn('docs/stripe.md', 'json'),
    ].map(({ text, heading }) => {
      const operation = OPERATIONS.find(({ method, path }) =>
        (ANSWERED_BY[heading] ?? heading).includes(`\`${method.toUpperCase()} ${path}\``),
      )
      const [status = ''] = Object.keys(operation?.responses ?? {})
      const [content] = contentsOf(operation?.responses[status])
      return { heading, faults: faultsIn(JSON.parse(text), content?.schema ?? { not: {} }) }
    })
    expect(shown).toHaveLength(4)
    for (const { heading, faults } of shown) expect(faults, heading).toEqual([])
  })

  it('names only headers that exist', () => {
    const ours = [...page.matchAll(/`((?:[A-Z]\w+-)+[A-Z]\w+|ETag|RateLimit|Allow)\b/g)]
    const asked = OPERATIONS.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name))
    const known = [...Object.keys(HEADERS), ...asked]
    expect(ours.length).toBeGreaterThan(8)
    expect(ours.map(([, name]) => name).filter((name) => !known.includes(name ?? ''))).toEqual([])
  })
})
