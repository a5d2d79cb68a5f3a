import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import compression from "compression"
import express, { type Router } from "express"
import type { OpenApi } from "../openapi/jsonSchema.ts"
import { renderReference, style } from "./renderReference.ts"

const overview = fileURLToPath(new URL("llms.txt", import.meta.url))

/** The page allows its own style, and no script and no request. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** For people, the reference of the API; for language models, what documents there are. Both are public, as the repository is. */
export function serveReference(document: OpenApi): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  let page: string | undefined
  router.get("/reference", compression(), (_request, response) => {
    response.locals.route = "/reference"
    page ??= renderReference(document)
    response.set("content-security-policy", policy).type("html").send(page)
  })
  router.get("/llms.txt", (_request, response) => {
    response.locals.route = "/llms.txt"
    response.sendFile(overview, { cacheControl: false })
  })
  return router
}
