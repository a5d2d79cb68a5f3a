import { confidentialResponse } from "@sitewire/runtime"
import type { RequestHandler } from "express"

/**
 * Responses contain secrets and partners' data, so no cache may store them and no page may frame or run them. The page
 * of the web console replaces some of these headers.
 */
export function securityHeaders({ isSecure }: { isSecure: boolean }): RequestHandler {
  return (_request, response, next) => {
    response.set({
      ...confidentialResponse,
      "cross-origin-resource-policy": "same-origin",
      ...(isSecure ? { "strict-transport-security": "max-age=31536000" } : {}),
    })
    next()
  }
}
