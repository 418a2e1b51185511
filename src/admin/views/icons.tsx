/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html'
import { iconBody } from '../../bar/icon.ts'
import type { Words } from '../words.ts'

/** Icons to choose from, each a button with its name. Arrow keys move between them, so Tab skips them. */
export function Icons({ names, words }: { names: readonly string[]; words: Words }) {
  return (
    <div>
      {names.length === 0 && <p class="empty">{words.compose.noIcons}</p>}
      {names.map((name) => (
        <button key={name} type="button" tabindex={-1} data-icon={name} title={name}>
          <svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
            {raw(iconBody(name) ?? '')}
          </svg>
          <span>{name}</span>
        </button>
      ))}
    </div>
  )
}
