import { isHiding } from './html.ts'

/** What the bar is in a page: the element, or what an app renders. */
const BAR = /^((html|body|:root)\s+)*(placard-link|(div)?\.placard)$/i

/** The rule of a sheet that hides the bar wherever it stands; rules with a condition aside. */
export function hidingRule(css: string): string | undefined {
  const text = css.replace(/\/\*[\s\S]*?\*\//g, ' ')
  const preludes: string[] = []
  let from = 0
  for (const { 0: brace, index } of text.matchAll(/[{};]/g)) {
    const before = text.slice(from, index)
    if (brace === '{') preludes.push(before.trim())
    // The last rule of a block needs no semicolon, so declarations are read at its end.
    if (brace === ';' && preludes.length > 0 && !preludes.at(-1)?.startsWith('@')) continue
    from = index + 1
    if (brace !== '}') continue
    const selector = preludes.pop() ?? ''
    const isAlways = preludes.every((it) => /^@(layer\b|supports\b(?!.*\bnot\b))/s.test(it))
    const isBar = selector.split(',').some((one) => BAR.test(one.trim()))
    if (isAlways && isBar && isHiding(before)) return `${selector} { ${before.trim()} }`
  }
  return undefined
}
