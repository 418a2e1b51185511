import type { Tree } from '../core/tree.ts'

/** HTML with its values escaped. `Html` is a class, because JSON from an API could imitate a plain object. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Escapes every value that isn't HTML, and removes the template's line breaks with the indentation after them. */
export function html(template: readonly string[], ...values: unknown[]): Html {
  // `template.raw` isn't used, because a build may escape characters in it.
  const raw = template.map((part) => part.replace(/\n */g, ''))
  return new Html(String.raw({ raw }, ...values.map(written)))
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join('')
  return value instanceof Html ? String(value) : escaped(String(value ?? ''))
}

/** Omits attributes that are `undefined` or `null`, as React does: a `nonce` from a missing header is `null`. */
export function attributesOf(all: Readonly<Record<string, unknown>>): Html[] {
  const given = Object.entries(all).filter(([, value]) => (value ?? null) !== null)
  return given.map(([name, value]) => html` ${name}="${value}"`)
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character as keyof typeof ENTITIES])

export function printed([tag, attributes, ...children]: Tree): Html {
  // The tags are plain strings, wrapped in `Html` only at the end, because `html` would escape them.
  const start = `<${tag}${attributesOf(attributes).join('')}`
  if (tag === 'input') return new Html(`${start}/>`)
  return new Html(`${start}>${allPrinted(children)}</${tag}>`)
}

export const allPrinted = (children: readonly (Tree | string)[]): Html =>
  html`${children.map((child) => (typeof child === 'string' ? child : printed(child)))}`
