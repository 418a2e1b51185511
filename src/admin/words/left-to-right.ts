/**
 * Keeps what is written from left to right in one piece within Arabic. Without it, the signs at its ends would change
 * sides: a reader would see `sale/` for `/sale`.
 */
export const ltr = (text: string) => `\u2066${text}\u2069`
