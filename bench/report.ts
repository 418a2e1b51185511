/** One figure, its reference, and whether it is within its bound. */
export interface Row {
  what: string
  value: string
  reference?: string
  ratio?: number
  bound?: string
  holds?: boolean
}

export function median(values: number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** A row for a value that must not exceed a bound. */
export function atMost(
  bound: number,
  what: string,
  value: number,
  unit: string,
  digits = value < 10 ? 1 : 0,
): Row {
  return {
    what,
    value: `${value.toFixed(digits)} ${unit}`,
    bound: `≤ ${bound.toLocaleString('en')} ${unit}`,
    holds: value <= bound,
  }
}

const HEAD = ['', 'measured', 'reference', 'ratio', 'bound', '']

/** Formats the rows as a Markdown table that is also readable in a terminal. */
export function table(rows: Row[]): string {
  const cells = [
    HEAD,
    ...rows.map((row) => [
      row.what,
      row.value,
      row.reference ?? '',
      row.ratio?.toFixed(2) ?? '',
      row.bound ?? '',
      row.holds === undefined ? '' : row.holds ? 'holds' : 'MISSED',
    ]),
  ]
  const widths = HEAD.map((_, column) =>
    Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), rule, ...body.map(line)].join('\n')
}
