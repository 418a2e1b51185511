/** Listens for events anywhere in the target. */
export function listen(
  target: EventTarget,
  look: (event: Event) => unknown,
  signal: AbortSignal | undefined,
  ...types: string[]
): void {
  for (const type of types)
    target.addEventListener(type, look, { capture: true, signal: signal as AbortSignal })
}
