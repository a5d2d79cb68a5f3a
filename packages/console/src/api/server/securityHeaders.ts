import type { RequestHandler } from "express"

/**
 * Responses contain secrets and partners' data, so no cache may store them and no page may frame or run them. The page
 * of the web console replaces some of these headers.
 */
export function securityHeaders({ isSecure }: { isSecure: boolean }): RequestHandler {
  return (_request, response, next) => {
    response.set({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      ...(isSecure ? { "strict-transport-security": "max-age=31536000" } : {}),
    })
    next()
  }
}
