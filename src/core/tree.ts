/**
 * An element as data: its tag, its attributes and its children. A string is text. The service prints a tree as HTML, and
 * sends it as JSON; browsers build it without parsing HTML, which Trusted Types would forbid.
 */
export type Tree = readonly [
  tag: string,
  attributes: Readonly<Record<string, string>>,
  ...children: (Tree | string)[],
]

type Child = Tree | string | null | undefined | false

/**
 * Creates an element. Omits attributes that are `undefined` or `null`, and children that are `undefined`, `null`,
 * `false` or an empty string.
 */
export function h(
  tag: string,
  attributes: Readonly<Record<string, unknown>>,
  ...children: Child[]
): Tree {
  const given = Object.entries(attributes).filter(([, value]) => (value ?? null) !== null)
  return [
    tag,
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    ...(children.filter((child) => (typeof child === 'object' && child !== null) || !!child) as (
      | Tree
      | string
    )[]),
  ]
}
