import type { ReactElement } from 'react'
import type { Issue } from '../../problem.ts'
import { around, type TimeError } from '../../time-error.ts'
import type { Fields, Reading } from '../form.ts'
import { translated } from '../words/rules.ts'
import type { Words } from '../words.ts'

/** The fields that have another name than the API has for what is in them. */
const FIELDS: Record<string, string> = { startsAt: 'from', expiresAt: 'until' }

/** What is wrong with a draft, one sentence for each fault. */
export function Faults({
  words,
  reading,
  issues,
}: {
  words: Words
  reading: Reading
  issues: readonly Issue[]
}): ReactElement | null {
  const times = Object.entries(reading.faults)
  if (issues.length === 0 && times.length === 0) return null
  return (
    <ul className="faults">
      {issues.map(({ path, message }) => (
        <li key={path + message} data-field={FIELDS[path] ?? path}>
          <b>{words.faults.about(labelOf(path, words))}</b> {translated(message, words)}
        </li>
      ))}
      {times.map(([name, fault]) => (
        <li key={name} data-field={name}>
          <b>{words.faults.about(words.compose[name as 'from' | 'until' | 'zone'])}</b>{' '}
          {sentenceFor(fault, words)}
        </li>
      ))}
    </ul>
  )
}

const FOLDS = ['earlier', 'later'] as const

/** Which of the two is meant, where a time comes twice. It stays there once it is answered, so that it is sent along. */
export function Twice({
  words,
  fields,
  reading,
}: {
  words: Words
  fields: Fields
  reading: Reading
}): ReactElement {
  return (
    <>
      {(['from', 'until'] as const).map((name) => {
        const choices = reading.twice[name]
        if (!choices) return null
        return (
          <fieldset key={name} className="folds">
            <legend>{words.compose[name]}</legend>
            {choices.map((choice, i) => (
              <label key={choice.offset}>
                <input
                  type="radio"
                  name={`${name}Fold`}
                  value={FOLDS[i]}
                  form="compose"
                  defaultChecked={fields[`${name}Fold`] === FOLDS[i]}
                />
                {`UTC${choice.offset}`}
              </label>
            ))}
          </fieldset>
        )
      })}
    </>
  )
}

function sentenceFor({ kind, choices }: TimeError, { faults }: Words): string {
  const [first = '', second = ''] = around(...choices)
  return kind === 'skipped' ? faults.skipped(first, second) : faults[kind]
}

function labelOf(path: string, { compose }: Words): string {
  const [field = '', ...rest] = path.split('.')
  const labels: Record<string, string> = {
    text: compose.text,
    type: compose.type,
    slug: compose.link,
    icon: compose.icon,
    startsAt: compose.from,
    expiresAt: compose.until,
    translations:
      rest.length > 0 ? `${compose.language} (${rest.join('.')})` : compose.translations,
  }
  return labels[field] ?? path
}
