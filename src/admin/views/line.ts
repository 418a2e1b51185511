/**
 * The field of a text, a `textarea`. It grows with the text. A line break in it becomes a space. Without `autocomplete`,
 * because where that is off, a browser restores no text when its user goes back to the page.
 */
export const LINE = { rows: 1, dir: 'auto', maxlength: 1000 } as const

/** A field of what is no prose: a link, a name of an icon, a tag. */
export const CODE = { dir: 'ltr', autocapitalize: 'none', spellcheck: false } as const
