/** A tag of a page, as far as it matters here. */
export interface Tag {
  name: string
  attributes: ReadonlyMap<string, string>
  /** Where the text behind it begins. */
  end: number
  /** The innermost ancestor that hides it, as it is written: `<div hidden>`. */
  hiddenBy?: string
}

const VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/
/** Others may close these, so where they end is not known. */
const OPEN_ENDED =
  /^(html|head|body|p|li|dt|dd|option|optgroup|tr|td|th|thead|tbody|tfoot|colgroup|caption|rt|rp)$/
/** What is in these is text. With scripts, so is what is in `noscript`. */
const RAW = /^(script|style|title|textarea|xmp|iframe|noembed|noframes|noscript)$/
/** Chromium nests no deeper. Without a bound, what is never closed would take time with the square of its number. */
const MAX_DEPTH = 512
const TAG = /<(\/?)([a-z][^\s/>]*)/iy
const ATTRIBUTE = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/y

/** The tags of a page that a browser would make elements of: none in comments, scripts and templates. */
export function tagsIn(html: string): Tag[] {
  const tags: Tag[] = []
  /** With what each has from those around it. */
  const open: { name: string; hides: string | undefined; isInert: boolean }[] = []
  /** How many of each name are open, because pages close what is not, and a look through all takes long. */
  const counts = new Map<string, number>()
  let at = html.indexOf('<')
  while (at >= 0) {
    at = html.indexOf('<', html.startsWith('<!--', at) ? afterComment(at) : readTag(at))
  }
  return tags

  function afterComment(start: number): number {
    const end = html.indexOf('-->', start + 4)
    return end < 0 ? html.length : end + 3
  }

  /** @returns where to go on */
  function readTag(start: number): number {
    TAG.lastIndex = start
    const [whole = '', slash, written = ''] = TAG.exec(html) ?? []
    if (whole === '') return start + 1
    const name = written.toLowerCase()
    if (slash) {
      while (counts.get(name)) {
        const closed = open.pop()?.name ?? ''
        counts.set(closed, (counts.get(closed) ?? 1) - 1)
        if (closed === name) break
      }
      return start + whole.length
    }
    const attributes = new Map<string, string>()
    ATTRIBUTE.lastIndex = start + whole.length
    let end = ATTRIBUTE.lastIndex
    for (let found = ATTRIBUTE.exec(html); found; found = ATTRIBUTE.exec(html)) {
      const [, key = '', double, single, bare] = found
      end = ATTRIBUTE.lastIndex
      const given = decoded(double ?? single ?? bare ?? '')
      if (!attributes.has(key.toLowerCase())) attributes.set(key.toLowerCase(), given)
    }
    end = html.indexOf('>', end) + 1 || html.length
    const { hides: hiddenBy, isInert = false } = open.at(-1) ?? {}
    if (!isInert) tags.push({ name, attributes, end, ...(hiddenBy && { hiddenBy }) })
    if (RAW.test(name)) return afterRaw(name, end)
    if (open.length < MAX_DEPTH && !VOID.test(name) && !OPEN_ENDED.test(name)) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      open.push({
        name,
        hides: hides(name, attributes) ? html.slice(start, end) : hiddenBy,
        isInert: isInert || name === 'template',
      })
    }
    return end
  }

  function afterRaw(name: string, start: number): number {
    const close = new RegExp(`</${name}[\\s/>]`, 'gi')
    close.lastIndex = start
    return close.exec(html)?.index ?? html.length
  }
}

/** Whether a tag hides what is in it, by itself. */
function hides(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const isClosed = (name === 'details' || name === 'dialog') && !attributes.has('open')
  return isClosed || attributes.has('hidden') || isHiding(attributes.get('style') ?? '')
}

/** Whether declarations hide an element, and all that is in it. */
export function isHiding(declarations: string): boolean {
  const rules =
    /(^|;|\s)(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0(\.0+)?)\s*(!|;|$)/i
  return rules.test(declarations)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** With the entities that a renderer writes. */
export function decoded(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    if (name) return ENTITIES[name] ?? whole
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
