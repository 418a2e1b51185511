/**
 * The inline scripts of the bar, made of functions. The build puts their text here (see tsdown.config.ts): what bundles
 * this again may rewrite a function, with helpers that no page has, and with another hash.
 */
import { ENTRY, recallClosing, recallClosings } from './dismissal.ts'
import { hideEnded } from './ending.ts'

/**
 * The inline script that follows a closable bar, so that a closed one is hidden before the first paint. Its text is the
 * same for every bar, so one hash in a Content-Security-Policy covers it.
 */
export const dismissScript: string = `(${recallClosings})(${recallClosing},${JSON.stringify(ENTRY)})`

/** The inline script that hides a bar at its end. Its text, too, is the same for every bar. */
export const endScript: string = `(${hideEnded})()`
