import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import dashboard from '../../examples/monitoring/dashboard.json' with { type: 'json' }
import { afterTest } from '../after-file.ts'
import { lacks, skipAloud } from '../aloud.ts'
import { freePort } from '../free-port.ts'
import { API_SECRET, coupon, notify, publish, readOwned } from '../harness.ts'
import { blockAfter } from '../printed.ts'
import { type Running, running } from '../running.ts'
import { soon } from '../soon.ts'
import { spawned } from '../spawned.ts'
import { temporaryDirectory } from '../stores.ts'
import { type FakeStripe, KEY, startFakeStripe } from '../stripe/fake.ts'
import { FAULTS, HEALTHY, ruleTest, SELDOM } from './planted.ts'

const missing = lacks('prometheus', 'promtool')
const ALERTS = join(import.meta.dirname, '../../examples/monitoring/alerts.yml')

/** A query, and where it is used. */
interface Query {
  place: string
  query: string
}

/** The queries of the dashboard, as Grafana sends them when it shows about an hour. */
function panelQueries(): Query[] {
  const { panels } = dashboard
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => {
      const labels = [...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label]) => label)
      const query = expr.replaceAll('$__rate_interval', '5m')
      return { place: `panel ${title}`, query: `${query} # by (${labels.join(', ')})` }
    }),
  )
}

/** The queries of the alerts: one line each, or a block. */
function alertQueries(): Query[] {
  const [, ...alerts] = readFileSync(ALERTS, 'utf8').split('- alert: ')
  return alerts.map((alert) => {
    const [, query = ''] = /^ {8}expr: (?:\|\n)?([\s\S]*?)\n {8}\w/m.exec(alert) ?? []
    return { place: `alert ${alert.split('\n')[0]}`, query }
  })
}

/** The names and labels that a query mentions. */
function mentioned({ query }: Query): { names: string[]; labels: string[] } {
  const names = [...query.matchAll(/\b(?:placard|process|nodejs)_\w+/g)].map(([name]) => name)
  const matched = [...query.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label)
  const grouped = [...query.matchAll(/\b(?:by|on) \(([\w, ]*)\)/g)]
    .flatMap(([, list = '']) => list.split(', '))
    .filter((label) => label !== '')
  // Prometheus adds these two to everything that it scrapes.
  const labels = [...matched, ...grouped].filter((label) => !/^(job|instance)$/.test(label))
  return { names, labels }
}

const queries = [...alertQueries(), ...panelQueries()]

let stripe: FakeStripe
let service: Running
beforeAll(async () => {
  stripe = await startFakeStripe(Date.now)
  service = await running({ STRIPE_API_KEY: KEY, STRIPE_API_URL: stripe.url })
  await publish(service)
  await notify(service, stripe.create({ id: 'FRIDAY' }))
  await notify(service, coupon('created'))
})
afterAll(() => stripe.close())

/** The labels of each metric that the service exports. */
async function shown(): Promise<Map<string, Set<string>>> {
  const text = await (await readOwned(service, '/metrics')).text()
  const metrics = new Map<string, Set<string>>()
  for (const [, name = '', list = ''] of text.matchAll(/^(\w+)(?:{(.*)})? \S+$/gm)) {
    const labels = metrics.get(name) ?? new Set()
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) labels.add(label)
    metrics.set(name, labels)
  }
  return metrics
}

it("contract R6: the alerts and the dashboard use only metrics and labels that exist, and all of Placard's metrics", async () => {
  expect(alertQueries()).toHaveLength(Object.keys(FAULTS).length)
  const metrics = await shown()
  const absent = queries.flatMap((query) => {
    const { names, labels } = mentioned(query)
    const known = names.flatMap((name) => [...(metrics.get(name) ?? [])])
    return [
      ...names.filter((name) => !metrics.has(name)),
      ...labels.filter((label) => !known.includes(label)),
    ].map((name) => `${query.place}: ${name}`)
  })
  expect(absent).toEqual([])

  const asked = new Set(queries.flatMap((query) => mentioned(query).names))
  const ours = [...metrics.keys()].filter((name) => name.startsWith('placard_'))
  expect(ours.filter((name) => !asked.has(name))).toEqual([])
})

it('contract R3, W1, T3: each fault fires its own alert and no other, and a healthy service fires none', (context) => {
  skipAloud(context, missing, 'Prometheus and promtool')
  const file = join(temporaryDirectory(), 'tests.json')
  const faults = [...Object.entries(FAULTS), ...SELDOM]
  const tests = faults.map(([alert, series]) => ruleTest({ ...HEALTHY, ...series }, [alert]))
  tests.push(ruleTest(HEALTHY, []))
  writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], tests }))
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
    encoding: 'utf8',
  })
  expect({ status, stderr, stdout }).toMatchObject({ status: 0 })
})

it("contract R6: with the guide's settings, Prometheus has data for each dashboard query and fires no alert", async (context) => {
  skipAloud(context, missing, 'Prometheus and promtool')
  const directory = temporaryDirectory()
  const settings = blockAfter('examples/monitoring/README.md', 'needs a file with it')
    .replace('alerts.yml', ALERTS)
    .replace('/etc/prometheus/placard-secret', `${directory}/secret`)
    .replace('127.0.0.1:3000', `127.0.0.1:${service.port}`)
  writeFileSync(`${directory}/secret`, `${API_SECRET}\n`, { mode: 0o600 })
  writeFileSync(`${directory}/prometheus.yml`, `global:\n  scrape_interval: 250ms\n${settings}`)
  const address = `127.0.0.1:${await freePort()}`
  const args = [
    `--config.file=${directory}/prometheus.yml`,
    `--storage.tsdb.path=${directory}/data`,
    `--web.listen-address=${address}`,
  ]
  const { child, ended } = spawned('prometheus', args, { stdio: 'ignore' })
  afterTest(async () => {
    child.kill()
    await ended
  })
  const ask = async (path: string) => {
    const { status, data } = await (await fetch(`http://${address}/api/v1/${path}`)).json()
    expect(status).toBe('success')
    return data
  }
  const result = async (query: string): Promise<{ value: [number, string] }[]> =>
    (await ask(`query?query=${encodeURIComponent(query)}`)).result
  await soon(async () => {
    expect(await result('up{job="placard"}')).toMatchObject([{ value: [expect.anything(), '1'] }])
  })
  // A rate is known from the second scrape on.
  await soon(async () => {
    for (const { place, query } of panelQueries()) {
      expect(await result(query), place).not.toEqual([])
    }
  })
  for (const { place, query } of alertQueries()) expect(await result(query), place).toEqual([])
  const { groups } = await ask('rules')
  expect(groups).toMatchObject([{ name: 'placard' }])
  expect(groups[0].rules).toHaveLength(Object.keys(FAULTS).length)
})
