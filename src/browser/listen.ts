/** Listens for events on the target and its descendants, including events that don't bubble. */
export function listen(
  target: EventTarget,
  look: (event: Event) => unknown,
  signal: AbortSignal | undefined,
  ...types: string[]
): void {
  for (const type of types)
    target.addEventListener(type, look, { signal: signal as AbortSignal, capture: true })
}
