/**
 * The inline scripts of the bar, made from functions. The build inserts their text (see tsdown.config.ts), because a
 * bundler could rewrite a function with helpers that pages don't have, and with another hash.
 */
import { ENTRY, recallClosing, recallClosings } from './dismissal.ts'
import { hideEnded } from './ending.ts'

/**
 * The inline script after a closable bar, which hides a closed one before the first paint. Its text is the same for every
 * bar, so one hash in a Content-Security-Policy covers it.
 */
export const dismissScript: string = `(${recallClosings})(${recallClosing},${JSON.stringify(ENTRY)})`

/** The inline script that hides a bar at its end. Its text is also the same for every bar. */
export const endScript: string = `(${hideEnded})()`
