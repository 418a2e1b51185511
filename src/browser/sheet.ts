/** Creates a style sheet for a document. A document accepts only its own window's style sheets. */
export function sheetOf(styles: string, document: Document): CSSStyleSheet {
  const sheet = new (document.defaultView as typeof globalThis & Window).CSSStyleSheet()
  sheet.replaceSync(styles)
  return sheet
}
