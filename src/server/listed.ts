/** Several headers of one name count as one list, as they do for the router. */
export function listed(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}
