import type { Row } from './report.ts'

/** The rows of the table that the picture shows, with their labels in the picture. */
const SHOWN = {
  'GET /embed.js gzip 200, responses per second': 'Page loads per second on one core',
  '10,000 streams, memory above idle per stream': 'Process memory per open page',
  '10,000 streams, time until all pages have a change':
    'Time until all of 10,000 open pages have a change',
  'start to first response': 'Start to first response',
  'resident memory after start': 'Memory after start',
}
const WIDTH = 720
const GROUP = 82
const TOP = 8
const ROOM = 560

/** Draws each figure and its reference as two bars, for light and dark pages. */
export function plot(rows: Row[]): string {
  const groups = Object.entries(SHOWN).flatMap(([what, name]) => {
    const row = rows.find((one) => one.what === what && one.ratio !== undefined)
    return row ? [{ ...row, name, ratio: row.ratio ?? 1 }] : []
  })
  const drawn = groups.map(({ name, value, ratio, reference = '' }, index) => {
    const y = TOP + index * GROUP
    const [, number = '', unit = ''] = /^([\d,.]+)(.*)$/.exec(value) ?? []
    const theirs = Number(number.replaceAll(',', '')) / ratio
    const other = theirs.toLocaleString('en', { maximumSignificantDigits: theirs < 1000 ? 3 : 4 })
    const longer = Math.max(1, ratio)
    return `<text class="t" x="0" y="${y + 14}">${inXml(name)}</text>
${bar('ours', 'Placard', value, (ROOM * ratio) / longer, y + 22)}
${bar('theirs', reference, other + unit, ROOM / longer, y + 48)}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${TOP + groups.length * GROUP}" font-family="system-ui, sans-serif" role="img" aria-label="Placard beside its references">
<style>.t{font-size:13px;font-weight:600;fill:#1c1c22}.s{font-size:11px;fill:#5b5b66;font-variant-numeric:tabular-nums}.ours{fill:#6366f1}.theirs{fill:#c9c9d1}
@media (prefers-color-scheme:dark){.t{fill:#ececf1}.s{fill:#a1a1aa}.ours{fill:#818cf8}.theirs{fill:#52525b}}</style>
${drawn.join('\n')}
</svg>
`
}

function bar(kind: string, name: string, value: string, length: number, y: number): string {
  return `<rect class="${kind}" x="0" y="${y}" width="${Math.max(2, length).toFixed(1)}" height="6" rx="3"/>
<text class="s" x="${(length + 8).toFixed(1)}" y="${y + 8}">${inXml(value)}</text>
<text class="s" x="0" y="${y + 19}">${inXml(name)}</text>`
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
