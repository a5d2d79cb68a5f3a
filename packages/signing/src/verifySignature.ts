import type { IncomingMessage, ServerResponse } from "node:http"
import { requireSecrets } from "./hmac.ts"
import { readRawBody } from "./readRawBody.ts"
import { sendProblem } from "./sendProblem.ts"
import { signatureHeader } from "./signatureHeader.ts"
import { verify } from "./verify.ts"

export type SignedRequest = IncomingMessage & { rawBody?: Buffer; body?: unknown; _body?: boolean }

/**
 * Express middleware that lets only signed requests pass. It reads the body itself, so put it before every
 * body parser. Then `req.rawBody` is a Buffer and, for a JSON content type, `req.body` is the parsed value.
 *
 * - `secrets`: a list, or a function that is called for each request, so that a rotation needs no restart.
 * - `header`: name of the signature header; default `X-Sitewire-Signature`.
 * - `limit`: the largest body accepted, in bytes; default 64 KiB.
 *
 * Responds with problem documents: 401 with `reason` "missing", "malformed" or "mismatch"; 413 over the
 * limit; 400 if a signed body is not JSON although its content type says so. Faults of the receiver go to
 * `next(error)`: the body was already read, or the secrets are empty or cannot be read.
 */
export function verifySignature({
  secrets,
  header = signatureHeader(),
  limit = 64 * 1024,
}: {
  secrets: readonly string[] | (() => readonly string[] | Promise<readonly string[]>)
  header?: string
  limit?: number
}): (request: SignedRequest, response: ServerResponse, next: (error?: unknown) => void) => Promise<void> {
  if (typeof secrets !== "function") requireSecrets(secrets)
  if (!/^[A-Za-z0-9-]+$/.test(header))
    throw new TypeError(`${JSON.stringify(header)} is not a header's name.`)
  if (!Number.isInteger(limit) || limit < 0)
    throw new TypeError(`The limit ${limit} is not a number of bytes.`)

  return async (request, response, next) => {
    try {
      const outcome = await receive(request)
      if (outcome === "gone") return
      if (outcome !== "verified") {
        if (outcome.status === 401) response.setHeader("WWW-Authenticate", `HMAC-SHA256 header="${header}"`)
        return sendProblem(response, outcome)
      }
    } catch (error) {
      return next(error)
    }
    // Outside the try: otherwise, an error that a later handler throws would be reported a second time.
    next()
  }

  async function receive(request: SignedRequest) {
    // Read the body before the secrets. Another handler may have started the stream already. Its data would
    // be lost while this function waits for the secrets.
    const raw = await readRawBody(request, limit)
    if (raw.kind === "aborted") return "gone"
    if (raw.kind === "already read") throw new Error(alreadyRead)
    if (raw.kind === "too large") {
      return { status: 413, title: "Content Too Large", detail: `The body is larger than ${limit} bytes.` }
    }

    const accepted = typeof secrets === "function" ? await secrets() : secrets
    const verdict = verify({
      body: raw.body,
      header: request.headers[header.toLowerCase()],
      secrets: accepted,
    })
    if (!verdict.valid) {
      const { reason } = verdict
      return {
        status: 401,
        title: "Unauthorized",
        detail: `The ${header} header ${explain[reason]}.`,
        reason,
      }
    }

    request.rawBody = raw.body
    // This tells the body parsers of Express 4 that the body was already read.
    request._body = true
    if (!saysJson(request)) return "verified"
    const json = parseJson(raw.body)
    if (!json.ok) {
      return {
        status: 400,
        title: "Bad Request",
        detail:
          "The signature is valid, but the body is not JSON in UTF-8 although its Content-Type says so.",
      }
    }
    request.body = json.value
    return "verified"
  }
}

const explain = {
  missing: "is missing",
  malformed: "is not sha256= followed by 64 lowercase hexadecimal digits, once",
  mismatch: "does not match the raw body under any secret of this receiver",
}

const alreadyRead =
  "The request body was read before verifySignature could: the signature covers the raw bytes, and they are gone. " +
  "Put verifySignature before express.json() and every other body parser, on this route at least."

function saysJson(request: IncomingMessage): boolean {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";")
  return /^application\/([^/]+\+)?json$/i.test(type.trim())
}

// `fatal`, because a decoder that replaces invalid bytes would return a text that nobody signed.
function parseJson(bytes: Buffer): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) }
  } catch {
    return { ok: false }
  }
}
