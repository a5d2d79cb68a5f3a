import type { RequestHandler } from "express"

/** Answers hold secrets and partners' data: nothing keeps, frames, sniffs or runs them. */
export const secureHeaders: RequestHandler = (_request, response, next) => {
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
