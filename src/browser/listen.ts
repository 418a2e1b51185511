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

/** Tells the page's developer, in the console, why no bar shows. */
export function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: the developer who adds the bar to a page looks in the console
  console.warn(`Placard: ${message}`)
}
