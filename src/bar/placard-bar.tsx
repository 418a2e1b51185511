import type { ReactElement, ReactNode } from 'react'
import { contentKey, ENTRY, rememberClosing } from './dismissal.ts'
import { ARROW, ARROW_OUT, iconBody } from './icon.ts'
import { labelsFor } from './labels.ts'
import { type BarContent, chooseView } from './view.ts'

export type { BarContent } from './view.ts'

/**
 * The inline script that follows a closable bar, so that a closed one is hidden before the first paint. Its text is the
 * same for every bar, so one hash in a Content-Security-Policy covers it.
 */
export const dismissScript: string = `(${rememberClosing})(document.currentScript.previousElementSibling,${JSON.stringify(ENTRY)})`

export interface PlacardBarProps {
  /** What `GET /api/events` answers in `event`, or what `placard.current()` gives. */
  event?: (BarContent & { expiresAt?: number | string | null | undefined }) | null | undefined
  /** What shows when there is no event; never stored (spec 2). */
  fallback?: BarContent | null | undefined
  /** BCP 47 tag of the page's language, for what screen readers say. Default: English. */
  locale?: string | undefined
  /** BCP 47 tag that chooses among the translations of the text (contract A15). Default: `locale`. */
  language?: string | undefined
  /**
   * Whether readers can close the bar. That needs {@link dismissScript}, which is printed after it. Under a
   * Content-Security-Policy, allow the hash of the script, or pass `nonce`.
   */
  dismissible?: boolean | undefined
  nonce?: string | undefined
  /** Where a link leads that is only a fragment: `#coupon` to `/pricing#coupon` for `/pricing`. Default: this page. */
  base?: string | undefined
}

/**
 * The bar of spec 2, display rules 1 to 8. Its look and motion are in `placard/placard.css`. It needs no script in the
 * browser.
 *
 * Render it on a server, because it brings the icon set along, which a browser shouldn't load.
 */
export function PlacardBar(props: PlacardBarProps): ReactElement | null {
  const { event, fallback, locale, dismissible = false, nonce } = props
  const { language = locale, base = '' } = props
  const view = chooseView(event, fallback, language)
  const source = view?.from === 'event' ? event : fallback
  if (!view || !source) return null
  const labels = labelsFor(locale)
  const until = view.from === 'event' ? event?.expiresAt : undefined
  const key = contentKey(source)
  const href = view.href.startsWith('#') ? base + view.href : view.href
  const body = view.icon === null ? null : iconBody(view.icon)
  const bar = (
    // With a new key, React renders a new element, so a bar that was closed doesn't hide the next.
    <div
      key={key}
      className="placard"
      data-type={source.type}
      {...(dismissible && { 'data-key': key, 'data-until': until ?? undefined })}
    >
      <a className="placard-link" href={href} target={view.target} rel={view.rel}>
        {body === null ? (
          <span className="placard-sparkle" aria-hidden="true">
            ✦
          </span>
        ) : (
          <Icon className="placard-icon" body={body} />
        )}
        <span className="placard-text" dir={view.dir} lang={view.lang}>
          {withEmoji(view.text)}
        </span>
        {view.target && <span className="placard-hint">{` (${labels.newTab})`}</span>}
        <Icon
          className={view.target ? 'placard-arrow placard-out' : 'placard-arrow'}
          body={`<path d="${view.target ? ARROW_OUT : ARROW}"/>`}
        />
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
  if (!dismissible) return bar
  return (
    <>
      {bar}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours */}
      <script nonce={nonce} dangerouslySetInnerHTML={{ __html: dismissScript }} />
    </>
  )
}

/** @param body comes from the icon set, never from an announcement */
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
 * Emoji, even joined ones (UTS 51, ED-1.4.9); several in a row match as one. Not `\p{RGI_Emoji}`, because that lists
 * every sequence and takes 50 ms to compile, with the first bar that a process renders.
 */
const EMOJI = new RegExp(
  String.raw`((?:(?:\p{EPres}|\p{Emoji}(?=[\p{EMod}\ufe0f]))${MODIFIED}(?:\u200d\p{Emoji}${MODIFIED})*)+)`,
  'u',
)

/** Wraps emoji, so that they keep their colours. Clipped to the gradient of the text they would be grey silhouettes. */
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
