import type { PlacardDetail } from '../bar/dismissal.ts'
import { NAME, PlacardLink } from '../browser/element.ts'

export type { PlacardDetail } from '../bar/dismissal.ts'
export { PlacardLink } from '../browser/element.ts'
export type { State } from '../browser/feed.ts'
export type { Tree } from '../core/tree.ts'

/**
 * Defines the element `<placard-link>`. Does nothing on a server, which has no DOM, or if the name is already defined:
 * by the script tag, or by this module before a hot reload.
 */
export function definePlacardLink(): void {
  const elements: CustomElementRegistry | undefined = globalThis.customElements
  if (elements && !elements.get(NAME)) elements.define(NAME, PlacardLink)
}

/** The attributes of `<placard-link>`, except global and `data-…` attributes. */
export interface PlacardLinkAttributes {
  /** The origin of the service. */
  src?: string | undefined
}

/** An event of the bar (contract R16). It isn't a `CustomEvent`, because old libraries replace that class. */
export interface PlacardEvent extends Event {
  readonly detail: PlacardDetail
}

/** What the bar tells the page. The events bubble from the element to the document and the window. */
export interface PlacardEventMap {
  /** An announcement or a fallback shows. An edit of the announcement doesn't dispatch the event again. */
  'placard:show': PlacardEvent
  /** The reader follows the link. If the page calls `preventDefault()`, nothing is opened. */
  'placard:click': PlacardEvent
  /** The reader dismisses the bar. */
  'placard:dismiss': PlacardEvent
}

declare global {
  interface HTMLElementTagNameMap {
    'placard-link': PlacardLink
  }
  interface HTMLElementEventMap extends PlacardEventMap {}
  interface DocumentEventMap extends PlacardEventMap {}
  interface WindowEventMap extends PlacardEventMap {}
}
