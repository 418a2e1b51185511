export { PlacardLink } from '../browser/element.ts'
