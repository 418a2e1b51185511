import type { PlacardLink } from '../browser/element.ts'

export { type Brought, PlacardLink } from '../browser/element.ts'

/** What a template may say of the element beside what it may say of any other, and beside `data-…`. */
export interface PlacardLinkAttributes {
  /** Origin of the service. */
  src?: string | undefined
}

declare global {
  interface HTMLElementTagNameMap {
    'placard-link': PlacardLink
  }
}
