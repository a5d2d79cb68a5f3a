/** A dispatcher's default for outstanding records. The bare loop has as many requests in flight. */
export const concurrency = 384
