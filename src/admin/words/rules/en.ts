/**
 * What the API says is wrong with a draft, and what it warns of: its very sentences. Their parameters stand in the
 * order of the sentence, because `rules.ts` finds a translation by the English text.
 */
export const rules = {
  required: 'is required',
  string: 'must be a string',
  length: (least: string, most: string, count: string) =>
    `must have ${least} to ${most} characters (it has ${count})`,
  wellFormed: 'must be well-formed Unicode (it has half of a surrogate pair)',
  oneLine: 'must be one line without control characters or bidirectional overrides',
  visible: 'must have at least one visible character',
  type: (types: string) => `must be one of ${types}`,

  unseen: 'must not contain white space, control or invisible characters (percent-encode them)',
  backslash: 'must not contain a backslash',
  url: 'must be a valid URL',
  scheme: 'must name its scheme: https://host/path',
  reference: 'must be a fragment (#coupon), a path (/blog/x) or an http: or https: URL',
  icon: (least: string, most: string) =>
    `must be ${least} to ${most} letters, digits and hyphens: the name of a Lucide icon`,

  instant: 'must be a date and time with an offset (RFC 3339), or milliseconds since 1970',
  future: 'must be in the future',
  afterStart: 'must be later than startsAt',
  full: (most: string) => `must wait: ${most} announcements are scheduled already`,

  byLanguage: 'must be an object of texts by language: { "de": "…" }',
  tag: (most: string) =>
    `is not a language tag (BCP 47) of at most ${most} characters, as in "de" or "pt-BR"`,
  sameLanguage: (tag: string) => `is the same language as another: ${tag}`,
  languages: (most: string, count: string) =>
    `must have at most ${most} languages (it has ${count})`,
  bytes: (most: string, count: string) =>
    `must have, with text, at most ${most} bytes of UTF-8 (they have ${count})`,
  unknown: 'is not a field of this request',

  noIcon: (name: string) => `There is no icon "${name}", so the sparkle is shown.`,
  noSlash:
    'The link has no leading slash, so it leads elsewhere from each page: start it with / or https://.',
  credentials: 'The link has a name or a password before its host, which every visitor can read.',
  percent: 'The link has a % that many servers refuse: write a percent sign as %25.',
  noLanguage: (tag: string) =>
    `No language has the tag "${tag}", so nobody gets its text: use a tag such as de or pt-BR.`,
  tooLong: (letters: string) =>
    `The text is longer than the bar is on a desktop (about ${letters} letters), so its end is cut off.`,
  tooLongIn: (tag: string, letters: string) =>
    `The text for ${tag} is longer than the bar is on a desktop (about ${letters} letters), so its end is cut off.`,
}

/**
 * The same in another language: whole sentences, which stand after the name of the field. How long a tag may be is none of
 * them, because its field takes no longer one.
 */
export type Rules = Omit<typeof rules, 'tag'> & { tag: string }
