import type { Child } from 'hono/jsx'
import { fill } from '../../core/messages.ts'
import { isLoopback, quotedPath, shellCommand } from '../../core/shell-command.ts'
import { type Appearance, contrastOf } from '../appearance.ts'
import type { Visit } from '../visit.ts'
import { saidOf, type Words } from '../words.ts'
import { Bar, Segments, TAG, Tags } from './controls.tsx'

type LookProps = Pick<Visit, 'words' | 'url' | 'look' | 'fromElsewhere'>

type SiteProps = LookProps & {
  /** Whether the service serves `embed.js`, as a standalone service does. */
  embeds: boolean
  /** The file with the API secret; `undefined` if no file contains the secret. */
  secretFile: string | undefined
}

/** Shows owners, then developers, how to add the bar to a site. The snippets contain the address of this service. */
export function OnYourSite(props: SiteProps) {
  const { words, url, embeds, secretFile } = props
  const { site } = words
  return (
    <section class="site" aria-labelledby="site-title">
      <h1 id="site-title">{site.title}</h1>
      {embeds && <Looks {...props} />}
      <details class="more" open={!embeds}>
        <summary>{site.developers}</summary>
        {embeds && (
          <Part title={site.strict} note={site.strictNote}>
            <Code words={words}>{`script-src ${url}; connect-src ${url}`}</Code>
          </Part>
        )}
        <Part title={site.next} note={site.nextNote} />
        <Part title={site.command}>
          <Code words={words}>
            {shellCommand('publish "We wrote about caching" --slug /blog/caching', url)}
          </Code>
        </Part>
        <Part title={site.http} note={secretFile ? site.secretKept : site.secretGiven}>
          {secretFile && (
            <Code words={words}>{`EVENT_API_SECRET=$(cat ${quotedPath(secretFile)})`}</Code>
          )}
          <Code words={words}>{`curl ${url}/api/events \\
  -H "Authorization: Bearer $EVENT_API_SECRET" \\
  -H "Content-Type: application/json" \\
  -d '{"text":"We wrote about caching","type":"post","slug":"/blog/caching"}'`}</Code>
        </Part>
        <Part title={site.stripe} note={site.stripeNote}>
          <Code words={words}>{`${url}/api/webhooks`}</Code>
          <Code words={words}>{'isFeatured=true'}</Code>
          <Code words={words}>
            {shellCommand('simulate coupon.created --name "Black Friday" --percent-off 25', url)}
          </Code>
        </Part>
      </details>
    </section>
  )
}

function Looks(props: LookProps) {
  const { words, url, look, fromElsewhere } = props
  const { site, preview } = words
  const { float, dismissible, chosen, colors, language } = look
  const shown = colors ?? { color: '#3f3f46', surface: '#ffffff' }
  return (
    <div class="looks">
      <p class="lead">{site.lead}</p>
      {/* A loopback address works only on this machine. Warn if the service is behind a proxy, or if this request came
          to another host name; otherwise, a hint is enough. */}
      {isLoopback(url) && (
        <p class={fromElsewhere ? 'warning' : 'hint'}>{fill(site.onlyHere, { url })}</p>
      )}
      <form data-looks>
        <Segments
          name="where"
          label={site.where}
          of={['flow', 'float']}
          labels={{ flow: site.inPage, float: site.floating }}
          chosen={float ? 'float' : 'flow'}
        />
        <Segments
          name="theme"
          label={site.theme}
          of={['auto', 'light', 'dark']}
          labels={{ auto: site.auto, light: preview.light, dark: preview.dark }}
          chosen={chosen}
        />
        <label class="toggle">
          <input type="checkbox" name="dismissible" checked={dismissible} />
          {site.dismissible}
        </label>
        <label class="toggle">
          <input type="checkbox" name="colored" checked={colors !== null} />
          {site.ownColors}
        </label>
        {(['color', 'surface'] as const).map((name) => (
          <label key={name} class="toggle">
            <input type="color" name={name} value={shown[name]} />
            {site[name]}
          </label>
        ))}
        <div class="toggle">
          <label class="toggle">
            {site.language}
            <input name="language" value={language} {...TAG} aria-describedby="language-hint" />
          </label>
          <span class="hint" id="language-hint">
            {site.languageNote}
          </span>
        </div>
        <Tags words={words} />
      </form>
      <Looked {...props} />
    </div>
  )
}

/** The bar with the chosen settings, and its snippet. The script requests both again after each choice. */
export function Looked({ words, url, look }: LookProps) {
  const { site } = words
  const { float, dismissible, theme, colors, language, fault } = look
  const ratio = colors && Math.floor(contrastOf(colors.color, colors.surface) * 10) / 10
  const written = ratio?.toLocaleString(words.times) ?? ''
  const style = colors && `--placard-color:${colors.color};--placard-surface:${colors.surface}`
  const sample = { text: site.sample, type: 'post', slug: '/' }
  return (
    <div class="looked" data-part="looked">
      {ratio !== null && (
        <p class={ratio < 4.5 ? 'warning' : 'hint'} role="status">
          {fill(ratio < 4.5 ? site.lowContrast : site.contrast, { ratio: written })}
        </p>
      )}
      {fault && (
        <p class="warning" role="status">
          {saidOf({ code: fault, message: '', params: { tags: language } }, words)}
        </p>
      )}
      <div class="stage" data-theme={theme}>
        <div class="place" inert data-style={style}>
          <Bar event={sample} words={words} dismissible={float || dismissible} />
        </div>
      </div>
      <p>{float ? site.snippetFloat : site.snippet}</p>
      <Code words={words}>{snippetOf(url, look)}</Code>
    </div>
  )
}

function snippetOf(url: string, look: Appearance): string {
  const { float, dismissible, theme, colors, language, fault } = look
  const settings = [
    dismissible && !float && 'data-dismissible',
    theme !== 'auto' && `data-theme="${theme}"`,
    language && !fault && `data-lang="${language}"`,
  ].filter(Boolean)
  const given = settings.map((one) => ` ${one}`).join('')
  const own = colors && `--placard-color: ${colors.color}; --placard-surface: ${colors.surface}`
  const script = (of = '') => `<script src="${url}/embed.js"${of} async></script>`
  if (float) return `${own ? `<style>:root { ${own} }</style>\n` : ''}${script(given)}`
  const rule = `display: block; min-height: 3.25rem${own ? `; ${own}` : ''}`
  return `<style>placard-link:not([hidden]) { ${rule} }</style>\n<placard-link${given}></placard-link>\n${script()}`
}

function Part(props: { title: string; note?: string; children?: Child }) {
  return (
    <div class="part">
      <h2>{props.title}</h2>
      <div>
        {props.note && <p class="note">{props.note}</p>}
        {props.children}
      </div>
    </div>
  )
}

/** Code to copy. A click selects all of it, and the button copies it. */
export function Code({ words, children }: { words: Words; children: string }) {
  return (
    <div class="code" dir="ltr">
      <pre translate="no">
        <code>{children}</code>
      </pre>
      <button type="button" class="quiet" data-copied={words.site.copied}>
        {words.site.copy}
      </button>
    </div>
  )
}
