import { fill } from '../../core/messages.ts'
import { inFull } from '../../times/format.ts'
import type { Evaluation } from '../draft/evaluate.ts'
import { labelled, saidOf } from '../words.ts'
import { Replacement } from './announcements.tsx'
import { Faults } from './faults.tsx'

/** Says what publishing will do, or why it isn't possible. This text is the publish button's `aria-describedby`. */
export function Verdict(props: Evaluation) {
  const { words, issues } = props
  return (
    <div id="verdict" class="verdict" data-part="verdict">
      <Faults {...props} />
      <ul class="outcome">
        {issues.length === 0 && <Outcome {...props} />}
        {props.warnings.map((warning) => (
          <li key={warning.code} class="warning" data-code={warning.code}>
            <About path={warning.path} words={words} />
            {saidOf(warning, words)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Names the language that a warning is about: the language's tag follows the field in the warning's path. */
function About({ path, words }: Pick<Evaluation, 'words'> & { path: string }) {
  const [, tag] = path.split('.')
  return (
    tag && (
      <>
        <b>{labelled(tag, words)}</b>{' '}
      </>
    )
  )
}

function Outcome(props: Evaluation) {
  const { words, reading, edits, replaced, replacement, now } = props
  const { preview } = words
  const tag = words.times
  const { startsAt, expiresAt, zone } = reading
  const starts = startsAt !== undefined && startsAt > now
  return (
    <>
      {starts ? (
        <li>{fill(preview.starts, { when: inFull(startsAt, zone, now, tag) })}</li>
      ) : startsAt === undefined ? (
        edits !== 'up' && <li>{preview.atOnce}</li>
      ) : (
        <li class="warning">{preview.isOver}</li>
      )}
      {replacement ? (
        <li class="warning">
          <Replacement by={replacement} words={words} />
        </li>
      ) : (
        expiresAt !== undefined && (
          <li>{fill(preview.ends, { when: inFull(expiresAt, zone, now, tag) })}</li>
        )
      )}
      {replaced && (
        <li>
          {preview[starts ? 'replacesThen' : 'replaces'][replaced.type]} <bdi>{replaced.text}</bdi>
        </li>
      )}
    </>
  )
}
