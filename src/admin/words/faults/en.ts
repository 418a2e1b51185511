/** What somebody else did to what a draft is about. */
export const conflict = {
  gone: 'What you are editing is gone.',
  changed: 'What you are editing was changed meanwhile.',
  other: 'Another announcement of this type has gone up since you began to write.',
  asNew: 'What you wrote would be a new announcement.',
  instead: 'What you wrote would take its place.',
  discard: 'Discard what I wrote',
  publish: 'Publish as new',
  schedule: 'Schedule as new',
}

/** Why something can’t be done, or could not. */
export const faults = {
  about: (field: string) => `${field}:`,
  title: 'That can’t be done yet',
  unknown: 'Something went wrong. The log of the service says why.',
  unavailable: 'The service can’t reach its database right now. Nothing was lost: try again.',
  tooMany: (seconds: number) => `Too many changes at once. Try again in ${seconds} s.`,
  gone: 'It is gone by now.',
  undoChanged: 'It can’t be undone: something else has changed there since.',
  undoRefused: (why: string) => `It can’t be undone: the checkout would refuse that coupon. ${why}`,
  session: 'You are signed out. Sign in to go on; what you typed was not saved.',
  signedOut:
    'You are signed out. What you typed is still here: sign in in another tab, then go on.',
  unsent:
    'The service could not be reached, so nothing was published or changed. What you typed is still here: try again.',
  unsure:
    'The service’s answer did not come, so it isn’t known whether this was published. What you typed is still here: look under Now and Next before you try again.',
  away: 'The service can’t be reached. What stands here may be out of date.',
  unreached: 'The service could not be reached, so nothing was changed. Try again.',
  foreign: 'That request did not come from this page.',
  skipped: (a: string, b: string) =>
    `That time doesn’t exist, because the clocks are set forward. Take ${a} or ${b}.`,
  twice: 'That time comes twice, because the clocks are set back. Which one?',
  unreadable: 'Write a date and a time.',
  zone: 'There is no such time zone. Use a name such as Europe/Berlin.',
}

export type ConflictWords = typeof conflict
export type FaultWords = typeof faults
