import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { request as call, createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { extname, join } from "node:path"

type Session = { key: string; csrfToken: string; name: string; scopes: string[] }
type Handler = (request: IncomingMessage, response: ServerResponse) => void

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/**
 * A stand-in for the sessions and the file server of the console process. For development and screenshots only: it
 * checks no rate, and its cookie has no lifetime. It sends the console's Content-Security-Policy, so that a violation
 * is noticed here.
 */
export async function startStandIn({
  api,
  pages,
  port = 0,
}: {
  api: string
  /** A folder with the built page, or what serves the page. */
  pages: string | Handler
  port?: number
}) {
  const sessions = new Map<string, Session>()
  const links = new Map<string, string>()

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://stand-in").pathname
    if (path === "/session") return handleSession(request, response)
    if (path.startsWith("/v1/") || path === "/openapi.json") return passOn(request, response)
    if (typeof pages !== "string") return pages(request, response)
    await serveFile(pages, path, response)
  })

  const sessionOf = ({ headers: { cookie = "" } }: IncomingMessage) =>
    sessions.get(/(?:^|; )session=([\w-]+)/.exec(cookie)?.[1] ?? "")

  async function handleSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "DELETE") {
      response.writeHead(204, { "set-cookie": "session=; Max-Age=0; Path=/" }).end()
      return
    }
    if (request.method === "GET") {
      const session = sessionOf(request)
      if (session) sendJson(response, 200, shown(session))
      else rejectSession(response, "There is no session.")
      return
    }
    const { key: givenKey, link } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const key = givenKey ?? links.get(link)
    links.delete(link)
    const found = await fetch(`${api}/v1/keys/current`, { headers: { authorization: `Bearer ${key}` } })
    if (!found.ok) {
      rejectSession(response, link ? "The link was used or has expired." : "The API key is invalid.")
      return
    }
    const { name, scopes } = (await found.json()) as { name: string; scopes: string[] }
    const session = { key, csrfToken: randomBytes(16).toString("hex"), name, scopes }
    const id = randomBytes(16).toString("hex")
    sessions.set(id, session)
    response.setHeader("set-cookie", `session=${id}; HttpOnly; SameSite=Strict; Path=/`)
    sendJson(response, 200, shown(session))
  }

  function passOn(request: IncomingMessage, response: ServerResponse): void {
    const session = sessionOf(request)
    if (!session) {
      rejectSession(response, "Your session has ended.")
      return
    }
    const isWrite = request.method !== "GET" && request.method !== "HEAD"
    if (isWrite && request.headers["x-csrf-token"] !== session.csrfToken) {
      sendJson(response, 403, { type: "about:blank", title: "Missing CSRF token", status: 403 })
      return
    }
    const { cookie: _, host: __, ...headers } = request.headers
    const options = {
      method: request.method ?? "GET",
      headers: { ...headers, authorization: `Bearer ${session.key}` },
    }
    const forwarded = call(new URL(request.url ?? "/", api), options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    forwarded.on("error", () => response.destroy())
    response.on("close", () => forwarded.destroy())
    request.pipe(forwarded)
  }

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the stand-in has no port")
  return {
    server,
    origin: `http://127.0.0.1:${address.port}`,
    createLink(key: string): string {
      const link = randomBytes(16).toString("hex")
      links.set(link, key)
      return link
    },
    endSessions: () => sessions.clear(),
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function shown({ name, scopes, csrfToken }: Session) {
  const expires_at = new Date(Date.now() + 8 * 3_600_000).toISOString()
  return { name, scopes, expires_at, csrf_token: csrfToken, sign_in: { key: true, oidc: false } }
}

function rejectSession(response: ServerResponse, detail: string): void {
  const problem = { type: "about:blank", title: "Not signed in", status: 401, detail }
  sendJson(response, 401, { ...problem, sign_in: { key: true, oidc: false } })
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const type = status >= 400 ? "application/problem+json" : "application/json"
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(JSON.stringify(body))
}

/** A path without a file is a page of the application. */
async function serveFile(folder: string, path: string, response: ServerResponse): Promise<void> {
  const type = types[extname(path)]
  const file = type ? await readFile(join(folder, path)).catch(() => null) : null
  if (file && type) {
    response
      .writeHead(200, { "content-type": type, "cache-control": "max-age=31536000, immutable" })
      .end(file)
    return
  }
  const nonce = randomBytes(16).toString("base64")
  const page = await readFile(join(folder, "index.html"), "utf8")
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ")
  response
    .writeHead(200, { "content-type": types[".html"] ?? "", "content-security-policy": policy })
    .end(page.replaceAll("__CSP_NONCE__", nonce))
}
