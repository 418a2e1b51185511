import { REASONS } from '../../core/history.ts'
import { conflict, faults } from './faults/en.ts'
import { rules } from './rules/en.ts'

/** The admin in English. The other languages have the same keys; `words.ts` chooses. */
export const en = {
  tag: 'en',
  name: 'English',
  dir: 'ltr',

  nav: { announcement: 'Announcement', history: 'History', site: 'On your site' },
  signOut: 'Sign out',
  skip: 'Skip to the content',
  languages: 'Languages',

  signIn: {
    title: 'Sign in',
    how: 'Run this where the service’s API secret is available, and open the link that it prints:',
    busy: 'Signing you in …',
    secret: 'Or use the API secret',
    secretAlone: 'API secret',
    secretNote: 'The setting EVENT_API_SECRET of the service. Links to sign in need JavaScript.',
    submit: 'Sign in',
    wrongSecret: 'That is not the secret of this service.',
    usedCode:
      'That link was used already, is older than ten minutes or is incomplete. Make another one.',
    tooMany: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
  },

  types: { coupon: 'Coupon', post: 'Post', product: 'Product' },

  compose: {
    title: 'New announcement',
    editing: 'Edit a scheduled announcement',
    editingUp: 'Edit the announcement that is up',
    text: 'Text',
    type: 'Type',
    typeNote: 'One of each type is up at a time. A new one takes its place.',
    link: 'Link',
    linkNote: 'A page of your site, such as /sale, or a whole address',
    linkMeant: (link: string) => `Did you mean ${link}?`,
    linkLeads: (link: string) => `It leads to ${link}`,
    linkPage: (link: string) => `Did you mean your own page ${link}?`,
    writeLink: 'Type a link, such as /sale, or / for your home page.',
    icon: 'Icon',
    iconNote: 'Search for a word, such as “gift”. Without one: the sparkle.',
    noIcons: 'No icon goes by that name.',
    when: 'When',
    from: 'From',
    fromNote: 'Empty: at once',
    until: 'Until',
    untilNote: 'Empty: until you take it down',
    zone: 'Time zone',
    translations: 'Other languages',
    language: 'Language',
    noLanguage: 'No known language',
    languageNote: 'Choose from the list, or write a code such as de or pt-BR',
    translation: 'Text in that language',
    addLanguage: 'Add a language',
    removeLanguage: 'Remove this language',
    chooseLanguage: 'Choose a language.',
    publish: 'Publish',
    schedule: 'Schedule',
    save: 'Save',
    preview: 'Preview',
    cancel: 'Cancel',
    length: (count: number) => `${count} of 500`,
  },

  preview: {
    title: 'Preview',
    light: 'Light',
    dark: 'Dark',
    desktop: '1280 px',
    phone: '360 px',
    caption: (theme: string, width: string) => `${theme}, ${width}`,
    original: 'Original',
    rightToLeft: 'Right to left',
    reduced: 'Reduced motion',
    empty: 'Write a text to see it here.',
    cut: 'Cut off after “\u2068{text}\u2069”',
    replaces: {
      coupon: 'It replaces the coupon that is up now:',
      post: 'It replaces the post that is up now:',
      product: 'It replaces the product that is up now:',
    },
    replacesThen: {
      coupon: 'At its start it replaces the coupon:',
      post: 'At its start it replaces the post:',
      product: 'At its start it replaces the product:',
    },
    outlives:
      'Once you publish this, it stays up even if Stripe’s coupon is used up. Take it down yourself then. It comes down when any coupon with isFeatured is deleted.',
    atOnce: 'It shows at once.',
    isOver: 'That start is over, so it shows at once.',
    starts: (when: string) => `Starts ${when}`,
    ends: (when: string) => `Ends ${when}`,
  },

  now: {
    title: 'Now',
    empty: 'Nothing is up.',
    emptyHint: 'Publish an announcement, and every page opened after that shows it.',
    shows: 'Shows now, because it is the most recent.',
    showsAlone: 'Shows now. It is the only one.',
    waits: {
      coupon: 'Waits, because the coupon is more recent.',
      post: 'Waits, because the post is more recent.',
      product: 'Waits, because the product is more recent.',
    },
    none: 'Nothing of this type is up.',
    since: 'Since',
    until: 'Until',
    languages: 'Languages',
    takeDown: 'Take down',
    stripe: (id: string) => `Stripe’s coupon ${id}`,
    unfeatured: 'Taking away isFeatured in Stripe leaves this up. Take it down here.',
  },

  next: {
    title: 'Next',
    none: 'Nothing is scheduled, and nothing ends.',
    unseen: 'Nobody will see it: something more recent shows all the while.',
    starts: 'Starts',
    edit: 'Edit',
    remove: 'Remove',
    at: 'What visitors will see at',
    look: 'Look',
    nothing: 'Nothing',
  },

  history: {
    title: 'History',
    empty: 'Nothing has happened yet.',
    older: 'Older',
    newest: 'Newest',
    actions: {
      published: 'Published',
      replaced: 'Replaced',
      scheduled: 'Scheduled',
      moved: 'Moved',
      edited: 'Edited',
      started: 'Started',
      withdrawn: 'Taken down',
      unscheduled: 'Removed from the schedule',
      ended: 'Ended',
      ignored: 'Ignored',
    },
    via: {
      api: 'through the API',
      cli: 'from the command line',
      admin: 'in the admin',
      code: 'by the site’s own code',
      stripe: 'by Stripe',
    },
    planned: 'as planned',
    by: (name: string) => `by ${name}`,
    before: 'Before',
    after: 'After',
    undoes: 'Undoes an earlier change',
    undo: 'Undo',
    undoSure: {
      back: 'This comes back:',
      gone: 'This goes:',
    },
    noUndo: {
      undone: 'Undone',
      changed_since: 'Changed since',
      ended: 'Its time has passed',
      full: 'The schedule is full',
      refused: 'The checkout would refuse it',
    },
    restore: 'Use as a draft',
    because: (reason: string) => `Why: ${reason}`,
    reasons: REASONS,
    notification: (id: string) => `Stripe’s notification ${id}`,
  },

  site: {
    title: 'On your site',
    lead: 'Put the bar where it belongs. It keeps its room, and shows every change.',
    onlyHere: (url: string) =>
      `Other machines can’t reach ${url}. Set PUBLIC_URL to the public address, in the environment of the service or in its file .env, and start it again.`,
    flow: 'Any page',
    flowNote: 'Where the bar belongs in your HTML:',
    float: 'Floating',
    floatNote: 'The tag alone floats the bar at the bottom of the window:',
    strict: 'With a strict Content-Security-Policy',
    strictNote:
      'Allow this service as a source, and give the element its room in your own stylesheet:',
    next: 'Next.js, React and others',
    nextNote:
      'The guides are in the folder docs of the repository: next.md, serverless.md, frameworks.md, embed.md.',
    command: 'From the command line',
    http: 'Over HTTP',
    secretGiven: 'EVENT_API_SECRET is the API secret, as the settings of the service have it.',
    secretKept: 'EVENT_API_SECRET is the API secret. On the machine of the service, this reads it:',
    stripe: 'From Stripe',
    stripeNote:
      'Send coupon notifications to this address, and give a coupon this metadata. It is announced as soon as it is saved.',
    copy: 'Copy',
    copied: 'Copied',
  },

  done: {
    published: 'Published. Every page opened from now on shows it.',
    scheduled: 'Scheduled.',
    moved: 'Saved. New start:',
    saved: 'Saved.',
    withdrawn: 'Taken down.',
    unscheduled: 'Removed from the schedule.',
    undone: 'Undone.',
    nothing: 'It was gone already.',
    useless:
      'That link was of no use: it was used already, is older than ten minutes or is incomplete. You are signed in anyway.',
  },

  conflict,
  faults,
  rules: {
    ...rules,
    oneLine: 'Write it in one line, without invisible signs, or ones that change its direction.',
    unseen:
      'A link can’t have spaces, or signs that nobody sees. Write a hyphen or %20 in their place.',
    backslash: 'Write / instead of \\.',
    url: 'No browser can open that address. Copy it from the browser, such as https://example.com/sale.',
    scheme: 'An address starts with https://, such as https://example.com/sale.',
    reference:
      'A link goes to a page: an address that starts with https://, or a path such as /sale.',
    full: (most: string) =>
      `${most} announcements are scheduled already. Remove one of them, or wait until one starts.`,
    tag: 'There is no such language. Choose one from the list, or write a code such as de for German.',
    noLanguage: (tag: string) =>
      `Nobody gets the text for “${tag}”, because no language has that code. Choose one from the list, such as de for German.`,
    instant: 'is before 1970: write the year in full, such as 2027',
    afterStart: 'must be later than the start',
  },
}

/** All texts of the admin. */
export type Words = typeof en
