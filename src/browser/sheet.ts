/** Creates a style sheet for a document. A document accepts only its own window's style sheets. */
export function sheetOf(styles: string, { defaultView }: Document): CSSStyleSheet {
  const sheet = new (defaultView as typeof globalThis & Window).CSSStyleSheet()
  sheet.replaceSync(styles)
  return sheet
}
