import type { Tab } from '../engines/engine.ts'

/** A colour as 0xRRGGBB. */
type Colour = number

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** How many phases of the shine are measured, spread evenly over its 7 s. */
const PHASES = 8
const PERIOD_MS = 7_000

/**
 * Measures the contrast of a bar's text in a screenshot. The contrast of each part of the text is that of its most
 * contrasting pixel; the lowest contrast of all parts counts, over all phases of the motion. Leaves copies of the bar on
 * the page.
 */
export async function readability(tab: Tab, line: string) {
  const boxes = await tab.evaluate(freeze, { line, phases: PHASES, period: PERIOD_MS })
  const looked = await partsOf(tab, boxes)
  const worst = looked.flatMap(({ parts, behind }) =>
    parts.map((part) => Math.max(...part.map((colour) => contrast(colour, behind)))),
  )
  const surfaces = new Set(looked.map(({ behind }) => `#${behind.toString(16).padStart(6, '0')}`))
  return { contrast: Math.min(...worst), surface: [...surfaces].join(' ') }
}

/** Puts copies of the bar below it, each paused in another phase, and returns the boxes of their texts. */
function freeze({ line, phases, period }: { line: string; phases: number; period: number }) {
  const root = document.querySelector('placard-link')?.shadowRoot ?? document
  const first = root.querySelector(line) as Element
  const copies = Array.from({ length: phases - 1 }, () => first.cloneNode(true) as Element)
  first.after(...copies)
  return [first, ...copies].map((line, phase) => {
    for (const animation of line.getAnimations({ subtree: true })) {
      if (animation.timeline !== document.timeline) continue
      animation.pause()
      animation.currentTime = (phase * period) / phases
    }
    const text = line.querySelector('.placard-text') as Element
    const { x, y, width, height } = text.getBoundingClientRect()
    return { x: x + scrollX, y: y + scrollY, width, height }
  })
}

/** Every colour in each box of the window, as red, green and blue. */
export async function coloursIn(tab: Tab, boxes: Box[]): Promise<[number, number, number][][]> {
  const looked = await partsOf(tab, boxes)
  return looked.map(({ parts }) =>
    parts.flat().map((all) => [all >> 16, (all >> 8) & 255, all & 255]),
  )
}

async function partsOf(tab: Tab, boxes: Box[]) {
  // While a frame is being rendered, a browser may fail to take a screenshot.
  await tab.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  })
  const png = (await tab.screenshot()).toString('base64')
  return tab.evaluate(look, { png, boxes })
}

interface Looked {
  png: string
  boxes: Box[]
}
/** The colours in each part of each box, and the box's most frequent colour. A part is as wide as its box is high. */
async function look({ png, boxes }: Looked): Promise<{ parts: Colour[][]; behind: Colour }[]> {
  const bytes = Uint8Array.from(atob(png), (char) => char.charCodeAt(0))
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
  if (!context) throw new Error('No canvas here')
  context.drawImage(bitmap, 0, 0)
  return boxes.map((box) => {
    const [x, y, width, height] = [box.x, box.y, box.width, box.height].map((length) =>
      Math.round(length * devicePixelRatio),
    ) as [number, number, number, number]
    const { data } = context.getImageData(x, y, width, height)
    const counts = new Map<number, number>()
    // Ignores a narrower remainder at the end, which may hold no letter.
    const parts = Array.from(
      { length: Math.max(1, Math.floor(width / height)) },
      () => new Set<number>(),
    )
    for (let i = 0; i < data.length; i += 4) {
      const [r = 0, g = 0, b = 0] = data.subarray(i, i + 3)
      const colour = r * 0x10000 + g * 0x100 + b
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
      parts[Math.floor(((i / 4) % width) / height)]?.add(colour)
    }
    const [behind = 0] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))
    return { parts: parts.map((part) => [...part]), behind }
  })
}

/** The contrast ratio that WCAG 2.2 defines. */
export function contrast(a: Colour, b: Colour): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: Colour): number {
  const [r = 0, g = 0, b = 0] = [colour >> 16, (colour >> 8) & 255, colour & 255].map((part) => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
