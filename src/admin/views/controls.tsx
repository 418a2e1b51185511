/** @jsxImportSource hono/jsx */

/** A choice of one, in a row. */
export function Segments<T extends string>(props: {
  name: string
  label?: string
  of: readonly T[]
  labels: Readonly<Record<T, string>>
  chosen: string
  /** Whether the choice can't be changed. */
  isFixed?: boolean
}) {
  const { name, label, of, labels, chosen, isFixed = false } = props
  const Group = label === undefined ? 'div' : 'fieldset'
  return (
    <Group class="segments" aria-label={label}>
      {of.map((one) => {
        const state = { checked: one === chosen, disabled: isFixed && one !== chosen }
        return (
          <label key={one}>
            <input type="radio" name={name} value={one} {...state} />
            <span>{labels[one]}</span>
          </label>
        )
      })}
    </Group>
  )
}

/**
 * Attributes of a text's `textarea`, which grows with the text and turns a line break into a space. Without
 * `autocomplete`, because if that is off, browsers don't restore the text on going back.
 */
export const LINE = { rows: 1, dir: 'auto', maxlength: 1000 } as const

/** Attributes of a field without prose: a link, an icon's name, a tag. */
export const CODE = { dir: 'ltr', autocapitalize: 'none', spellcheck: false } as const
