import type { RequestHandler } from "express"

/**
 * Responses contain secrets and partners' data, so no cache may store them and no page may frame or run them.
 */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  })
  next()
}
