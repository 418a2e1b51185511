import type { ReactElement } from 'react'
import { iconBody } from '../../bar/icon.ts'
import type { Words } from '../words.ts'

/** Icons to choose from, each a button with its name. The arrow keys go through them, so Tab needn't. */
export function Icons({ names, words }: { names: readonly string[]; words: Words }): ReactElement {
  return (
    <div>
      {names.length === 0 && <p className="empty">{words.compose.noIcons}</p>}
      {names.map((name) => (
        <button key={name} type="button" tabIndex={-1} data-icon={name} title={name}>
          <svg
            width="20"
            height="20"
            viewBox="0 0 24 24"
            aria-hidden="true"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: from the icon set
            dangerouslySetInnerHTML={{ __html: iconBody(name) ?? '' }}
          />
          <span>{name}</span>
        </button>
      ))}
    </div>
  )
}
