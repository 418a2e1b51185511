/** The value of a header. Several with one name become one list, as in the router. */
export function headerValue(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}
