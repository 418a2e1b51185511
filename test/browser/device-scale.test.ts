import { expect, it } from 'vitest'
import { barOf, ROOM, SAMPLES, stageForFile } from './stage.ts'

const stage = stageForFile()

/** The difference between the highest and the lowest channel value in each box of a screenshot. */
async function rangesIn({ png, boxes }: { png: string; boxes: number[][] }): Promise<number[]> {
  const blob = await (await fetch(`data:image/png;base64,${png}`)).blob()
  const bitmap = await createImageBitmap(blob)
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext(
    '2d',
  ) as OffscreenCanvasRenderingContext2D
  context.drawImage(bitmap, 0, 0)
  return boxes.map(([x = 0, y = 0, width = 0, height = 0]) => {
    const { data } = context.getImageData(x, y, width, height)
    const colours = data.filter((_, i) => i % 4 < 3)
    return Math.max(...colours) - Math.min(...colours)
  })
}

it.each(
  [1.1, 1.25, 1.5, 2.625].flatMap((scale) => [[scale, 'light'] as const, [scale, 'dark'] as const]),
)(
  'spec 2: no frame shows around the text at %s device pixels per CSS pixel, on a %s page',
  async (scale, colorScheme) => {
    await stage.placard.publish(SAMPLES.coupon)
    const page = await stage.site(ROOM + stage.tag(), {
      viewport: { width: 420, height: 60 },
      deviceScaleFactor: scale,
      colorScheme,
      head: '<style>:root { color-scheme: light dark } body { margin: 0 }</style>',
    })
    const bar = await barOf(page)
    const [x = 0, y = 0, right = 0, bottom = 0] = await bar.evaluate((one) => {
      for (const animation of (one.getRootNode() as ShadowRoot).getAnimations()) {
        if (animation.timeline !== document.timeline) continue
        animation.pause()
        animation.currentTime = 1_000
      }
      const box = (one.querySelector('.placard-text') as Element).getBoundingClientRect()
      return [box.x, box.y, box.right, box.bottom]
    })
    // The top and bottom edges of the text's box, where there are no letters.
    const boxes = [
      [x, bottom - 2, right - x, 4],
      [x, y - 2, right - x, 4],
    ].map((box) => box.map((length) => Math.round(length * scale)))
    const png = (await page.screenshot()).toString('base64')
    expect(await page.evaluate(rangesIn, { png, boxes })).toEqual([
      expect.toSatisfy((range) => range < 12),
      expect.toSatisfy((range) => range < 12),
    ])
  },
)
