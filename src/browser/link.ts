/**
 * Whether a browser would scroll to this fragment's target (HTML, "find a potential indicated element"). Decodes what
 * it can, because the fragment may contain a literal percent sign.
 */
export function hasTarget(document: Document, fragment: string): boolean {
  return [fragment, new URLSearchParams(`=${fragment}`).get('') as string].some(
    (one) =>
      /^(top)?$/i.test(one) || document.getElementById(one) || document.anchors.namedItem(one),
  )
}
