/** The field of a text, a `textarea`. It grows with the text. A line break in it becomes a space. */
export const LINE = { rows: 1, dir: 'auto', maxLength: 1000, autoComplete: 'off' } as const

/** A field of what is no prose: a link, a name of an icon, a tag. */
export const CODE = { dir: 'ltr', autoCapitalize: 'none', spellCheck: false } as const
