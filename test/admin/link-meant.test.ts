import { expect, it } from 'vitest'
import { linkMeant } from '../../src/admin/draft/link-meant.ts'

it.each([
  // Host names.
  ['www.mein-laden.de', 'https://www.mein-laden.de'],
  ['laden.de:8080/x', 'https://laden.de:8080/x'],
  ['müller.de?a=b', 'https://müller.de?a=b'],
  ['xn--mller-kva.xn--p1ai', 'https://xn--mller-kva.xn--p1ai'],
  ['www.page.html', 'https://www.page.html'],
  // Relative paths, whose target would depend on the page with the bar.
  ...['sale', 'sale.html', 'index.php?p=1', 'blog/example.de', 'v2.0', 'a..de'].map((page) => [
    page,
    `/${page}`,
  ]),
  ['../sale', '/sale'],
  // Forbidden links.
  ['//x', '/x'],
  ['//laden.de/sale', 'https://laden.de/sale'],
  ['/my sale', '/my%20sale'],
  ['my sale', '/my%20sale'],
  ['https:laden.de', 'https://laden.de'],
  ['http:/laden.de/a', 'http://laden.de/a'],
  // An email address becomes a `mailto:` link, so that the message says which links are allowed.
  ['info@laden.de', 'mailto:info@laden.de'],
  // Links that are right as they are, or incomplete.
  ...['/sale', '/example.de', '#top', 'https://example.de', 'javascript:x', ''].map((it) => [
    it,
    it,
  ]),
  ...['www', 'htt', 'https:'].map((begun) => [begun, begun]),
] as [string, string][])('contract A7, A16: the link %j is read as %j', (written, link) => {
  expect(linkMeant(written)).toBe(link)
})
