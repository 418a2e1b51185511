import type { Row } from './report.ts'

const WIDTH = 720
const ROW = 34
const LEFT = 360
const TOP = 40

/** The ratios as bars on one logarithmic scale, with 1 (as fast as the reference) marked. Light and dark. */
export function plot(rows: Row[]): string {
  const shown = rows.filter(
    (row): row is Row & { ratio: number; reference: string } =>
      row.ratio !== undefined && row.reference !== undefined && !row.what.includes('p99'),
  )
  const low = Math.min(0.25, ...shown.map((row) => row.ratio * 0.9))
  const high = Math.max(2, ...shown.map((row) => row.ratio * 1.1))
  const x = (ratio: number) =>
    LEFT +
    ((Math.log(ratio) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (WIDTH - LEFT - 70)
  const height = TOP + shown.length * ROW + 16
  const bars = shown.map((row, i) => {
    const y = TOP + i * ROW
    const [start, end] = [Math.min(x(1), x(row.ratio)), Math.max(x(1), x(row.ratio))]
    return `<text class="t" x="0" y="${y + 9}">${inXml(row.what)}</text>
<text class="s" x="0" y="${y + 23}">against ${inXml(row.reference)}</text>
<rect class="b" x="${start.toFixed(1)}" y="${y + 3}" width="${Math.max(2, end - start).toFixed(1)}" height="14" rx="3"/>
<text class="n" x="${(end + 8).toFixed(1)}" y="${y + 14}">${row.ratio.toFixed(2)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" role="img" aria-label="Ratios to their references">
<style>.t{font-size:12px;fill:#1c1c22}.s{font-size:10px;fill:#6b6b76}.n{font-size:12px;fill:#1c1c22;font-variant-numeric:tabular-nums}.b{fill:#6366f1}.r{stroke:#6b6b76;stroke-dasharray:2 3}
@media (prefers-color-scheme:dark){.t,.n{fill:#ececf1}.s{fill:#9a9aa6}.b{fill:#818cf8}}</style>
<text class="s" x="${x(1).toFixed(1)}" y="16" text-anchor="middle">1 = the reference</text>
<line class="r" x1="${x(1).toFixed(1)}" y1="22" x2="${x(1).toFixed(1)}" y2="${height - 8}"/>
${bars.join('\n')}
</svg>
`
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
