import type { PlacardLink } from '../browser/element.ts'

export { type Brought, PlacardLink } from '../browser/element.ts'

/** The attributes of `<placard-link>`, except global and `data-…` attributes. */
export interface PlacardLinkAttributes {
  /** The origin of the service. */
  src?: string | undefined
}

declare global {
  interface HTMLElementTagNameMap {
    'placard-link': PlacardLink
  }
}
