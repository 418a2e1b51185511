/** Typical layouts of the sites that embed the bar. */

const links = (...names: string[]) => names.map((name) => `<a href="#x">${name}</a>`).join(' ')
const NAV = `<b>Vesper</b> ${links('Product', 'Pricing', 'Docs')} <button>Sign in</button>`
const paragraph = `<p>Readers of this page want to <a href="#y">go somewhere</a> or to <button>do a thing</button>.</p>`
const text = (count: number) => paragraph.repeat(count)
const FOOTER = `<footer>${links('Imprint', 'Privacy', 'Status')}</footer>`

const BASE = `
  * { box-sizing: border-box }
  body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: #18181b; background: #fff }
  header, footer { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; padding: 1rem 1.5rem }
  header { background: #fff; border-bottom: 1px solid #e4e4e7 }
  main { max-width: 44rem; margin: 0 auto; padding: 2rem 1.5rem }
`

interface Host {
  style: string
  /** Puts `bar` where the guide says to put it. */
  body(bar: string): string
}

export const HOSTS: Record<string, Host> = {
  'a sticky header': {
    style: 'header { position: sticky; top: 0; z-index: 50 }',
    body: (bar) => `${bar}<header>${NAV}</header><main>${text(16)}</main>${FOOTER}`,
  },
  'a fixed header': {
    style: `header { position: fixed; inset: 0 0 auto; z-index: 50; height: 4.5rem; overflow: hidden }
      body { padding-top: 4.5rem }`,
    body: (bar) => `<header>${NAV}</header>${bar}<main>${text(16)}</main>${FOOTER}`,
  },
  'a static header': {
    style: '',
    body: (bar) => `<header>${NAV}</header>${bar}<main>${text(16)}</main>${FOOTER}`,
  },
  'a full-bleed hero': {
    style: `.hero { min-height: 80vh; display: grid; place-content: center; gap: 1rem; text-align: center;
      color: #fff; background: linear-gradient(#312e81, #0f0f12) } .hero a { color: inherit }`,
    body: (bar) =>
      `${bar}<section class="hero"><h1>Everything at once</h1>${links('Start', 'Watch')}</section><main>${text(10)}</main>${FOOTER}`,
  },
  'a dashboard with a sidebar': {
    style: `.app { display: grid; grid-template-columns: minmax(6rem, 14rem) 1fr; min-height: 100vh }
      aside { position: sticky; top: 0; height: 100vh; display: grid; align-content: space-between; padding: 1rem; background: #f4f4f5 }
      @media (max-width: 30rem) { .app { display: block } aside { height: auto; display: flex; justify-content: space-between } }`,
    body: (bar) =>
      `<div class="app"><aside><nav>${links('Home', 'Orders')}</nav><button>Log out</button></aside><div>${bar}<main>${text(16)}</main></div></div>`,
  },
  'a long article': {
    style: 'main { font-size: 1.125rem }',
    body: (bar) => `<main>${bar}<h1>On caches</h1>${text(24)}</main>${FOOTER}`,
  },
}

export const styleOf = (host: Host) => `<style>${BASE}${host.style}</style>`
