/** Hears of what happens anywhere in the target. */
export function listen(
  target: EventTarget,
  look: (event: Event) => void,
  signal: AbortSignal,
  ...types: string[]
): void {
  for (const type of types) target.addEventListener(type, look, { capture: true, signal })
}
