import type { Tree } from '../core/tree.ts'

/**
 * The content of the element's shadow root: the bar's place, what screen readers read out on a change, and the slot. The
 * element builds it, unless the service has printed it into the page (contract R15).
 */
export const SHELL: readonly [place: Tree, status: Tree, slot: Tree] = [
  ['div', { class: 'placard-place' }],
  // Screen readers read out changes to this element. It is empty at first, so they don't read the first bar.
  ['div', { class: 'placard-hint', role: 'status' }],
  ['slot', {}],
]
