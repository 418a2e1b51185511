export { type Brought, PlacardLink } from '../browser/element.ts'
