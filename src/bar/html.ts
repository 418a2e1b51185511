/** HTML whose values are escaped already. A class, because an answer of an API could have the shape of any type. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Escapes every value that isn't HTML. Line breaks of the template, with the indentation after them, are left out. */
export function html(template: readonly string[], ...values: unknown[]): Html {
  // Not the raw parts, because a build may escape their characters.
  const raw = template.map((part) => part.replace(/\n */g, ''))
  return new Html(String.raw({ raw }, ...values.map(written)))
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join('')
  return value instanceof Html ? String(value) : escaped(String(value ?? ''))
}

/** Also `null` leaves an attribute out, as in React, because a missing header gives a `nonce` of `null`. */
export function attributesOf(all: Readonly<Record<string, unknown>>): Html[] {
  const given = Object.entries(all).filter(([, value]) => (value ?? null) !== null)
  return given.map(([name, value]) => html` ${name}="${value}"`)
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character as keyof typeof ENTITIES])

/** The text that {@link html} has escaped. */
export const unescaped = (text: string): string =>
  Object.entries(ENTITIES).reduceRight(
    (rest, [character, it]) => rest.replaceAll(it, character),
    text,
  )
