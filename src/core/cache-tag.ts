/** The tag of all output that depends on the announcement, for caches that purge by tag (spec 1, contract R13). */
export const CACHE_TAG = 'event'
