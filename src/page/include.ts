import { attributesOf, Html, html, printed } from '../bar/html.ts'
import { includeScript } from '../bar/scripts.ts'
import { SHELL } from '../bar/shell.ts'
import { canonicalTag, hyphenated } from '../core/language.ts'
import { h, type Tree } from '../core/tree.ts'
import type { Include } from '../http/include-parameters.ts'
import type { Bar } from '../http/site.ts'

const [PLACE, STATUS, SLOT] = SHELL

/**
 * Prints the element's shadow root for a page's HTML (contract R15), exactly as `browser/element.ts` would build it, so
 * that the element can adopt it. The element reads the parameters from the attributes of the bar's container.
 *
 * The container is hidden until the styles, which come last, show it. So the reader never sees an unstyled bar, or one
 * that the script before the styles hides because it was dismissed.
 *
 * If the template stays in the page, because the browser or a router doesn't turn it into a shadow root, its `slot`
 * attribute keeps it out of the default slot of the shadow root that the element then builds.
 *
 * @param styles the minified styles of the bar
 */
export function renderInclude({ tree }: Bar, include: Include, styles: string): string {
  const { nonce, styles: address, ...settings } = include
  const data = Object.entries(settings).map(([name, value]) => [`data-${name}`, value])
  const lang = include.lang && canonicalTag(hyphenated(include.lang))
  const own = { hidden: '', lang, ...Object.fromEntries(data) }
  const place = h('div', { ...PLACE[1], ...own }, fitted(tree, include))
  const once = attributesOf({ nonce })
  const script = include.dismissible && html`<script${once}>${new Html(includeScript)}</script>`
  const look = address
    ? html`<link rel="stylesheet" href="${address}"/>`
    : html`<style${once}>${new Html(styles)}</style>`
  const shell = [place, STATUS, SLOT].map(printed)
  return String(html`<template shadowrootmode="open" slot="-">${shell}${script}${look}</template>`)
}

/** Adapts the bar to its page, as the element would. */
function fitted(tree: Tree, include: Include): Tree {
  const [, attributes] = tree.find(isBar) ?? tree
  const text = 'hidden' in attributes ? include['fallback-text'] : undefined
  const aim = (to = '') => {
    if (!to.startsWith('#')) return to
    const coupon = attributes['data-type'] === 'coupon' ? include['coupon-href'] : undefined
    return coupon ?? (include.base ?? '') + to
  }

  function adapt([tag, { hidden, ...own }, ...children]: Tree): Tree {
    const inside = children
      .filter((child) => include.dismissible || child[0] !== 'button')
      .map((child) => (typeof child === 'string' ? child : adapt(child)))
    if (tag === 'a') {
      const href = aim(text ? (include['fallback-href'] ?? '#') : own.href)
      return [tag, { ...own, href }, ...inside]
    }
    if (text && own.class === 'placard') return [tag, { ...own, 'data-key': text }, ...inside]
    if (text && own.class === 'placard-text') return [tag, own, text]
    return [tag, hidden === undefined ? own : { ...own, hidden }, ...inside]
  }
  return adapt(tree)
}

const isBar = (child: unknown): child is Tree =>
  Array.isArray(child) && child[1].class === 'placard'
