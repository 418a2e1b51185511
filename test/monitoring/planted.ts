/** A service's metrics, one value a minute for an hour, in promtool's notation for series. */
type Series = Record<string, string>

const STEADY = 'x60'

/** A healthy service, although strangers post fake notifications and a request to Stripe fails now and then. */
export const HEALTHY: Series = {
  up: `1${STEADY}`,
  process_start_time_seconds: `1000${STEADY}`,
  process_open_fds: `130${STEADY}`,
  process_max_fds: `16384${STEADY}`,
  nodejs_eventloop_lag_p99_seconds: `0.012${STEADY}`,
  placard_database_up: `1${STEADY}`,
  placard_writable: `1${STEADY}`,
  placard_stale: `0${STEADY}`,
  placard_hearing: `1${STEADY}`,
  placard_purges_failed_total: `0${STEADY}`,
  placard_streams: `100${STEADY}`,
  placard_streams_max: `10000${STEADY}`,
  'placard_requests_total{method="POST",status="201"}': '0+3x60',
  'placard_requests_total{method="POST",status="401"}': '0+3x60',
  'placard_requests_total{method="GET",status="503"}': '0+3x60',
  'placard_requests_total{method="POST",status="503"}': `0${STEADY}`,
  'placard_requests_total{method="POST",status="500"}': `0${STEADY}`,
  'placard_notifications_total{status="200"}': '0+1x60',
  'placard_notifications_total{status="400"}': '0+1x60',
  'placard_notifications_total{status="503"}': `0${STEADY}`,
  'placard_stripe_requests_total{result="answered"}': '0+2x60',
  'placard_stripe_requests_total{result="failed"}': '0+1x60',
  placard_stripe_events_passed_over_total: `0${STEADY}`,
}

/** Each alert, with metrics that fire it and no other alert. */
export const FAULTS: Record<string, Series> = {
  PlacardDown: { up: `0${STEADY}` },
  PlacardMissing: { up: '1x9 stale' },
  PlacardRestarts: { process_start_time_seconds: '1000x50 4000 4060 4120 4120x7' },
  PlacardDatabaseDown: { placard_database_up: `0${STEADY}` },
  PlacardNotWritable: { placard_writable: `0${STEADY}` },
  PlacardDeaf: { placard_hearing: `0${STEADY}` },
  PlacardStale: { placard_stale: `1${STEADY}` },
  PlacardWritesFail: { 'placard_requests_total{method="DELETE",status="503"}': '0+1x60' },
  PlacardPurgesFail: { placard_purges_failed_total: '0+1x60' },
  PlacardErrors: { 'placard_requests_total{method="GET",status="500"}': '0+1x60' },
  PlacardNotificationsRefused: { 'placard_notifications_total{status="200"}': `7${STEADY}` },
  PlacardNotificationsFail: { 'placard_notifications_total{status="503"}': '0+1x60' },
  PlacardStripeUnanswered: { 'placard_stripe_requests_total{result="answered"}': `7${STEADY}` },
  PlacardEventPassedOver: { placard_stripe_events_passed_over_total: '0+1x60' },
  PlacardStreamsNearCap: { placard_streams: `8100${STEADY}` },
  PlacardDescriptors: { process_open_fds: `13200${STEADY}` },
  PlacardSlow: { nodejs_eventloop_lag_p99_seconds: `0.4${STEADY}` },
}

/** Faults that are as bad, but rare. */
export const SELDOM: [alert: string, series: Series][] = [
  [
    'PlacardWritesFail',
    { 'placard_requests_total{method="POST",status="503"}': '0x9 1x19 2x19 3x10' },
  ],
  ['PlacardErrors', { 'placard_requests_total{method="POST",status="500"}': '0x49 1x10' }],
]

/** A test of rules, as promtool reads it: with these series, these alerts fire in the end, and no others. */
export function ruleTest(series: Series, firing: string[]) {
  const labelled = (name: string) =>
    name.replace(/^(\w+)(?:{(.*)})?$/, (_, metric, labels) =>
      [metric, '{job="placard",instance="one:3000"', labels ? `,${labels}` : '', '}'].join(''),
    )
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({
      series: labelled(name),
      values,
    })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '60m',
        exp_samples: firing.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  }
}
