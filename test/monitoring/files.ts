import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const FOLDER = join(import.meta.dirname, '../../examples/monitoring')

export const ALERTS = join(FOLDER, 'alerts.yml')

/** A query, and where it stands. */
export interface Query {
  place: string
  query: string
}

interface Panel {
  title: string
  targets: { expr: string; legendFormat: string }[]
}

/** The queries of the dashboard, as Grafana sends them when it looks at an hour or so. */
export function panelQueries(): Query[] {
  const { panels } = JSON.parse(readFileSync(join(FOLDER, 'dashboard.json'), 'utf8'))
  return (panels as Panel[]).flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => {
      const labels = [...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label]) => label)
      const query = expr.replaceAll('$__rate_interval', '5m')
      return { place: `panel ${title}`, query: `${query} # by (${labels.join(', ')})` }
    }),
  )
}

/** The queries of the alerts: one line each, or a block. */
export function alertQueries(): Query[] {
  const [, ...alerts] = readFileSync(ALERTS, 'utf8').split('- alert: ')
  return alerts.map((alert) => {
    const [, query = ''] = /^ {8}expr: (?:\|\n)?([\s\S]*?)\n {8}\w/m.exec(alert) ?? []
    return { place: `alert ${alert.split('\n')[0]}`, query }
  })
}

/** The names and labels that a query mentions. */
export function mentioned({ query }: Query): { names: string[]; labels: string[] } {
  const names = [...query.matchAll(/\b(?:placard|process|nodejs)_\w+/g)].map(([name]) => name)
  const matched = [...query.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label)
  const grouped = [...query.matchAll(/\b(?:by|on) \(([\w, ]*)\)/g)]
    .flatMap(([, list = '']) => list.split(', '))
    .filter((label) => label !== '')
  // Prometheus adds these two to everything that it scrapes.
  const labels = [...matched, ...grouped].filter((label) => !/^(job|instance)$/.test(label))
  return { names, labels }
}
