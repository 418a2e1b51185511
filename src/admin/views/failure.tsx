/** @jsxImportSource hono/jsx */
import type { Problem } from '../../core/problem.ts'
import { type Frame, Shell } from './shell.tsx'

/** The page for a request that failed before it reached a view. */
export function Failure({ problem, ...frame }: Frame & { problem: Problem }) {
  const { faults, nav } = frame.words
  const text =
    problem.code === 'unavailable'
      ? faults.unavailable
      : problem.code === 'forbidden'
        ? faults.foreign
        : problem.status >= 500
          ? faults.unknown
          : problem.message
  return (
    <Shell {...frame} title={faults.title} notice={{ kind: 'fault', text }}>
      <p>
        <a href={frame.base}>{nav.announcement}</a>
      </p>
    </Shell>
  )
}
