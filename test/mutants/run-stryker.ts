import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname

/** The part of Stryker's report that is read here. */
interface Report {
  files: Record<
    string,
    {
      source: string
      mutants: {
        mutatorName: string
        replacement: string
        status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'Ignored'
        location: Record<'start' | 'end', { line: number; column: number }>
      }[]
    }
  >
}

/** The result for the mutants of some files. */
interface Outcome {
  tried: number
  /** How many of them made the tests take too long. They count as killed; on a busy machine, wrongly. */
  timedOut: number
  /** A line for each that no test detected. */
  survived: string[]
}

/** Runs Stryker on these files. */
export function runStryker({ files, tests }: { files: string[]; tests: string[] }): Outcome {
  install()
  const directory = mkdtempSync(join(tmpdir(), 'placard-mutants-report-'))
  try {
    const report = join(directory, 'report.json')
    const stryker = join(here, 'node_modules/@stryker-mutator/core/bin/stryker.js')
    execFileSync(
      process.execPath,
      [stryker, 'run', join(here, 'stryker.config.mjs'), '--mutate', files.join()],
      { env: { ...process.env, REPORT: report, SUITES: tests.join(' ') }, stdio: 'inherit' },
    )
    return read(JSON.parse(readFileSync(report, 'utf8')))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Stryker has packages of its own, so that nobody who only starts or tests the service installs them. */
function install(): void {
  const changedAt = (file: string) => (existsSync(file) ? statSync(file).mtimeMs : 0)
  const installed = join(here, 'node_modules/.package-lock.json')
  if (changedAt(installed) > changedAt(join(here, 'package-lock.json'))) return
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { cwd: here, stdio: 'inherit' })
}

function read({ files }: Report): Outcome {
  const tried = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status !== 'Ignored' && status !== 'RuntimeError')
      .map((mutant) => ({ file, lines: source.split('\n'), ...mutant })),
  )
  const survived = tried
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ file, lines, location: { start }, mutatorName, replacement }) => {
      const line = lines[start.line - 1]?.trim()
      const change = replacement.replace(/\s+/g, ' ').slice(0, 80)
      return `${file}:${start.line}:${start.column} ${mutatorName}: ${line} → ${change}`
    })
  const timedOut = tried.filter(({ status }) => status === 'Timeout').length
  return { tried: tried.length, timedOut, survived }
}
