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
