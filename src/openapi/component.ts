import { z } from 'zod'

/** What the document says about schemas and their fields, beside what they say of themselves. */
const notes = z.registry<{ id?: string; description?: string }>()

/** Describes the fields of a schema: each of them, so no new one is forgotten. */
export function described<T extends z.ZodObject>(
  schema: T,
  fields: Record<keyof T['shape'] & string, string>,
): T {
  for (const [name, description] of Object.entries<string>(fields)) {
    notes.add(schema.shape[name] as z.ZodType, { description })
  }
  return schema
}

/** Schemas by name, as JSON Schema (draft 2020-12) of what is sent. One that contains another refers to it. */
export function toComponents(schemas: Record<string, z.ZodObject>): Record<string, object> {
  for (const [id, schema] of Object.entries(schemas)) notes.add(schema, { id })
  const uri = (id: string) => refTo('schemas', id).$ref
  // Names are none of the global registry's business: a host may describe its own API with it.
  const metadata = Object.assign(z.registry<Record<string, unknown>>(), {
    get: (schema: z.ZodType) => ({ ...z.globalRegistry.get(schema), ...notes.get(schema) }),
  })
  const made = z.toJSONSchema(notes, { uri, metadata, io: 'input' }).schemas
  return Object.fromEntries(
    Object.entries(made).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  )
}

/** Refers to a component of the document. */
export function refTo(kind: 'schemas' | 'headers' | 'responses', name: string) {
  return { $ref: `#/components/${kind}/${name}` }
}
