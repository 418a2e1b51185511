/**
 * Attributes of a text's `textarea`, which grows with the text and turns a line break into a space. Without
 * `autocomplete`, because if that is off, browsers don't restore the text on going back.
 */
export const LINE = { rows: 1, dir: 'auto', maxlength: 1000 } as const

/** Attributes of a field without prose: a link, an icon's name, a tag. */
export const CODE = { dir: 'ltr', autocapitalize: 'none', spellcheck: false } as const
