/** The value of a header. Several of one name count as one list, as they do for the router. */
export function headerValue(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}
