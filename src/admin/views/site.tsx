/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { fill } from '../../core/messages.ts'
import { quotedPath, shellCommand } from '../../core/shell-command.ts'
import type { Words } from '../words.ts'

interface SiteProps {
  words: Words
  /** How people reach the service: `https://placard.example`. */
  url: string
  /** Whether it serves the script of the tag, as a service of its own does. */
  embeds: boolean
  /** The file that the API secret is in; `undefined` if it was set. */
  secretFile: string | undefined
}

/** How the bar gets on a site, with the address of this very service. */
export function OnYourSite({ words, url, embeds, secretFile }: SiteProps): JSX.Element {
  const { site } = words
  return (
    <section class="site" aria-labelledby="site-title">
      <h1 id="site-title">{site.title}</h1>
      <p class="lead">{site.lead}</p>
      {embeds && isOnlyHere(url) && <p class="warning">{fill(site.onlyHere, { url })}</p>}
      {embeds && <Tag words={words} url={url} />}
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
    </section>
  )
}

/** Whether the address is that of the reader's own machine, whichever that is. */
const isOnlyHere = (url: string) => /(^|\.)localhost$|^127\.|^\[::1\]$/.test(new URL(url).hostname)

/** The script tag, for a page of any kind. */
function Tag({ words, url }: Pick<SiteProps, 'words' | 'url'>): JSX.Element {
  const { site } = words
  return (
    <>
      <Part title={site.flow} note={site.flowNote}>
        <Code words={words}>{`<style>placard-link { display: block; min-height: 3.25rem }</style>
<placard-link></placard-link>
<script src="${url}/embed.js" async></script>`}</Code>
      </Part>
      <Part title={site.float} note={site.floatNote}>
        <Code words={words}>{`<script src="${url}/embed.js" async></script>`}</Code>
      </Part>
      <Part title={site.strict} note={site.strictNote}>
        <Code words={words}>{`script-src ${url}; style-src ${url}; connect-src ${url}`}</Code>
        <Code words={words}>{'placard-link { display: block; min-height: 3.25rem }'}</Code>
      </Part>
    </>
  )
}

function Part(props: { title: string; note?: string; children?: Child }): JSX.Element {
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

/** Code to copy. One click selects all of it. With a script, there is a button too. */
export function Code({ words, children }: { words: Words; children: string }): JSX.Element {
  return (
    <div class="code" dir="ltr">
      <pre translate="no">
        <code>{children}</code>
      </pre>
      <button type="button" class="quiet with-script" data-copied={words.site.copied}>
        {words.site.copy}
      </button>
    </div>
  )
}
