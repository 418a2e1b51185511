import { type Config, ConfigError } from '../../server/config.ts'
import { by, type Finding } from './finding.ts'

const OLDEST_NODE = 24

export function checkNode(version: string): Finding {
  const { pass, fail } = by('node')
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return pass(`Node ${version}`)
  const mend = `Install Node ${OLDEST_NODE} or newer, and start the service with it`
  return fail(`Node ${version} is older than ${OLDEST_NODE}`, mend)
}

export function checkSettings(config: Config | ConfigError): Finding[] {
  const { pass, fail } = by('settings')
  if (!(config instanceof ConfigError)) return [pass('The settings are valid')]
  const mend = 'Correct it in the environment or in .env; `placard help serve` lists the settings'
  return config.faults.map((fault) => fail(fault, mend))
}
