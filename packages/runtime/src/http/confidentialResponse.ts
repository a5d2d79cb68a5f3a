/** Headers of responses that no cache may store, no page may frame or run, and whose URL no other site may learn. */
export const confidentialResponse = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const
