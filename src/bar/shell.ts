import type { Tree } from '../core/tree.ts'

/**
 * The content of the element's shadow root: the bar's place, the status that screen readers announce, and the slot. The
 * element builds these, unless the page's HTML already has them (contract R15).
 */
export const SHELL: readonly [place: Tree, status: Tree, slot: Tree] = [
  ['div', { class: 'placard-place' }],
  // Screen readers announce changes to this element. It is empty at first, so they don't announce the first bar.
  ['div', { class: 'placard-hint', role: 'status' }],
  ['slot', {}],
]
