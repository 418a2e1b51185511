import type { ReactElement, ReactNode } from 'react'
import { contentKey, ENTRY, rememberClosing } from './dismissal.ts'
import { ARROW, iconBody } from './icon.ts'
import { labelsFor } from './labels.ts'
import { type BarContent, view } from './view.ts'

export type { BarContent } from './view.ts'

/**
 * The inline script that follows a closable line, so that a closed one is hidden before the first paint.
 * The same text for every line: one hash in a Content-Security-Policy covers it.
 */
export const dismissScript: string = `(${rememberClosing})(document.currentScript.previousElementSibling,${JSON.stringify(ENTRY)})`

export interface PlacardBarProps {
  /** What `GET /api/events` answers in `event`, or what `placard.current()` gives. */
  event?: (BarContent & { expiresAt?: number | string | null | undefined }) | null | undefined
  /** BarContent when there is no event; never stored (spec 2). */
  fallback?: BarContent | null | undefined
  /** BCP 47 tag of the page's language, for what screen readers say; English where it isn't known. */
  locale?: string | undefined
  /** BCP 47 tag that chooses among the translations of the text (contract A15). Default: `locale`. */
  language?: string | undefined
  /**
   * Offers to close the bar. Needs {@link dismissScript}, which is printed after it: allow its hash in
   * a Content-Security-Policy, or pass `nonce`.
   */
  dismissible?: boolean | undefined
  nonce?: string | undefined
}

/**
 * The line of spec 2, display rules 1 to 8. Renders on a server and needs no script in the browser; its
 * looks and its motion are in `placard/placard.css`.
 *
 * Draw it on a server: it carries the icon set, which a browser shouldn't load.
 */
export function PlacardBar(props: PlacardBarProps): ReactElement | null {
  const { event, fallback, locale, dismissible = false, nonce } = props
  const { language = locale } = props
  const shown = view(event, fallback, language)
  const source = shown?.from === 'event' ? event : fallback
  if (!shown || !source) return null
  const labels = labelsFor(locale)
  const until = shown.from === 'event' ? event?.expiresAt : undefined
  const key = contentKey(source)
  const body = shown.icon === null ? null : iconBody(shown.icon)
  const line = (
    // The key makes React render a changed bar afresh, so closing one doesn't hide the next.
    <div
      key={key}
      className="placard"
      data-type={source.type}
      {...(dismissible && { 'data-key': key, 'data-until': until ?? undefined })}
    >
      <a className="placard-link" href={shown.href} target={shown.target} rel={shown.rel}>
        {body === null ? (
          <span className="placard-sparkle" aria-hidden="true">
            ✦
          </span>
        ) : (
          <Icon className="placard-icon" body={body} />
        )}
        <span className="placard-text" dir={shown.dir} lang={shown.lang}>
          {withEmoji(shown.text)}
        </span>
        {shown.target && <span className="placard-hint">{` (${labels.newTab})`}</span>}
        <Icon className="placard-arrow" body={`<path d="${ARROW}"/>`} />
      </a>
      <span className="placard-controls">
        <input type="checkbox" className="placard-pause" aria-label={labels.pause} />
        {dismissible && (
          <button type="button" className="placard-close" aria-label={labels.close} />
        )}
      </span>
      <span className="placard-beams" aria-hidden="true">
        <span className="placard-beam">
          <span className="placard-ray" />
        </span>
        <span className="placard-beam">
          <span className="placard-ray" />
        </span>
      </span>
    </div>
  )
  if (!dismissible) return line
  return (
    <>
      {line}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours */}
      <script nonce={nonce} dangerouslySetInnerHTML={{ __html: dismissScript }} />
    </>
  )
}

/** `body` comes from the icon set, never from an announcement. */
function Icon({ className, body }: { className: string; body: string }): ReactElement {
  return (
    <svg
      className={className}
      width="14"
      height="14"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: from the icon set
      dangerouslySetInnerHTML={{ __html: body }}
    />
  )
}

/** What may follow the character of an emoji: a skin tone, the sign that makes it one, the tags of a flag. */
const MODIFIED = String.raw`(?:\p{EMod}|\ufe0f\u20e3?|[\u{e0020}-\u{e007e}]+\u{e007f})?`
/**
 * Emoji, several in a row as one, joined ones included (UTS 51, ED-1.4.9). Not `\p{RGI_Emoji}`: an expression that
 * knows every sequence by name takes 50 ms to compile, with the first bar that a process renders.
 */
const EMOJI = new RegExp(
  String.raw`((?:(?:\p{EPres}|\p{Emoji}(?=[\p{EMod}\ufe0f]))${MODIFIED}(?:\u200d\p{Emoji}${MODIFIED})*)+)`,
  'u',
)

/** Emoji keep their own colours: clipped to a gradient they would be grey silhouettes. */
function withEmoji(text: string): ReactNode {
  const parts = text.split(EMOJI)
  if (parts.length === 1) return text
  return parts.map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one constant text
      <span key={i} className="placard-emoji">
        {part}
      </span>
    ),
  )
}
