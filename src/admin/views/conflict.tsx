/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import { Author, actionOf } from './history.tsx'
import type { PreviewProps } from './preview.tsx'
import { Time } from './time.tsx'

/** What somebody else did to what a draft is about, who and when, and what can be done now (contract A17). */
export function ConflictNote({
  words,
  fields,
  conflict,
  base,
}: Pick<PreviewProps, 'words' | 'fields' | 'conflict'> & { base: string }): JSX.Element {
  // What the author knows of is sent along, so that publishing replaces nothing else.
  const seen = <input type="hidden" name="seen" value={fields.seen} />
  if (!conflict) return <div data-part="conflict">{seen}</div>
  const { kind, entry, told } = conflict
  const { history } = words
  const after = entry?.after
  const theirs = after && 'startsAt' in after ? `edit=${fields.id}` : `slot=${fields.type}`
  return (
    <div class="conflict" data-part="conflict" role="alert">
      {seen}
      <input type="hidden" name="told" value={told} />
      <p>
        <b>{words.conflict[kind]}</b>
      </p>
      {entry && (
        <p>
          {history.actions[actionOf(entry)]} <Author entry={entry} words={words} />,{' '}
          <Time at={Number(entry.at)} words={words} />
          {after && (
            <>
              {': '}
              <bdi>{after.text}</bdi>
            </>
          )}
        </p>
      )}
      <p>{kind === 'gone' ? words.conflict.asNew : words.conflict.instead}</p>
      {kind !== 'other' && (
        <a href={kind === 'gone' ? base : `${base}?${theirs}`} data-deed>
          {words.conflict.discard}
        </a>
      )}
    </div>
  )
}
