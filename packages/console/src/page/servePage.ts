import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import compression from "compression"
import type { Request, RequestHandler, Response, Router } from "express"
import express from "express"
import { sendPage } from "./sendPage.ts"

/** The build of the front end writes it wherever a nonce belongs. */
const placeholder = "__CSP_NONCE__"

/** Paths whose requests never get the page: those of the API, and files that a build no longer contains. */
const noPage = /^\/(v1|session|problems|assets)(\/|$)/

/**
 * Serves the files of the built web console, and its page for all other paths that a browser opens. `/` is also a
 * route of the API, for requests that do not ask for HTML.
 */
export function servePage(folder: string): { root: RequestHandler; others: Router } {
  const send: RequestHandler = async (request, response, next) => {
    if (!isPageRequest(request)) return next()
    response.locals.route = "page"
    await sendIndex(response, folder)
  }
  const others = express.Router({ caseSensitive: true, strict: true })
  others.use(compression(), files(folder))
  others.use(send)
  return {
    root: (request, response, next) => (request.path === "/" ? send(request, response, next) : next()),
    others,
  }
}

function isPageRequest(request: Request): boolean {
  const { method, path } = request
  if ((method !== "GET" && method !== "HEAD") || noPage.test(path)) return false
  // A client that accepts everything gets JSON.
  return request.accepts(["application/json", "text/html"]) === "text/html"
}

function files(folder: string): RequestHandler {
  return express.static(folder, {
    index: false,
    redirect: false,
    dotfiles: "ignore",
    cacheControl: false,
    setHeaders(response: Response, path) {
      response.locals.route = "page files"
      // The build names files in this folder by a hash of their content.
      const isHashed = path.startsWith(join(folder, "assets/"))
      response.setHeader("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache")
    },
  })
}

async function sendIndex(response: Response, folder: string): Promise<void> {
  const html = await readFile(join(folder, "index.html"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    throw error
  })
  if (html === null) {
    sendPage(response, 404, {
      title: "The web console is not built",
      text: "Run npm run build --workspace @sitewire/web in the repository, or set CONSOLE_WEB_FOLDER to the folder of a build. The management API works without it.",
    })
    return
  }
  const nonce = randomBytes(18).toString("base64url")
  response.set({
    "content-security-policy": [
      "default-src 'none'",
      `script-src 'self' 'nonce-${nonce}'`,
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    vary: "Accept",
  })
  response.type("html").send(html.replaceAll(placeholder, nonce))
}

/** The build of packages/web. The console does not import it, because the management API works without it. */
export const defaultPageFolder = fileURLToPath(new URL("../../../web/dist", import.meta.url))
