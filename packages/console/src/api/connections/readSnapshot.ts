import { z } from "zod"
import { type ApiContext, defineRoute } from "../defineRoute.ts"
import { matchesEtag } from "../etag.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { findConnection } from "./findConnection.ts"

export const readSnapshot = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/snapshot",
  operation: "readSnapshot",
  summary: "Read the content that a connection's last successful sync fetched",
  allow: ["read", "site"],
  description: "The source's response, decoded, with its content type.",
  params: idParameter,
  success: {
    status: 200,
    description: "The content.",
    headers: {
      ETag: {
        description: "SHA-256 of the content, in quotes.",
        required: true,
        schema: { type: "string" },
        example: `"${"0123456789abcdef".repeat(4)}"`,
      },
      "Last-Modified": {
        description: "When the content was stored.",
        required: true,
        schema: { type: "string" },
        example: "Sun, 01 Mar 2026 12:00:00 GMT",
      },
    },
  },
  requestHeaders: z.object({
    "If-None-Match": z
      .string()
      .optional()
      .meta({
        description: "The ETag of an earlier response. If the content is the same, the response is 304.",
        examples: [`"${"0123456789abcdef".repeat(4)}"`],
      }),
  }),
  otherResponses: { 304: "The content has the hash in If-None-Match." },
  async handle({ prisma, sql }, { params: { id }, headers, headOnly, caller }) {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    const snapshot = await prisma.snapshot.findUnique({ where: { connectionId: id } })
    if (!snapshot) {
      return problem(
        "nothing-fetched",
        `Nothing has been fetched for the connection "${id}" yet. GET /v1/syncs?connection=${id} lists its syncs.`,
      )
    }
    const etag = `"${Buffer.from(snapshot.contentSha256).toString("hex")}"`
    const validators = { etag, "last-modified": snapshot.storedAt.toUTCString() }
    const known = headers["if-none-match"]
    if (known !== undefined && matchesEtag(known, etag))
      return { kind: "stream", status: 304, headers: validators, chunks: null }
    const chunks = headOnly ? null : await openChunks(prisma, snapshot)
    return {
      kind: "stream",
      status: 200,
      headers: {
        ...validators,
        "content-type": safeContentType(snapshot.contentType),
        "content-length": String(snapshot.bytes),
        // The content is untrusted: a browser must not run it in the console's origin.
        "content-disposition": "attachment",
        "content-security-policy": "sandbox; default-src 'none'",
      },
      chunks,
    }
  },
})

/**
 * Reads the chunks of the sync with the number `fence`, one at a time. There is no transaction, because a
 * slow client would keep it open. If a newer snapshot deletes the chunks meanwhile, the response is cut off.
 * The first chunk is read before the status is sent, so that the status is 503 if the database is
 * unavailable.
 */
async function openChunks(
  prisma: ApiContext["prisma"],
  { connectionId, fence, bytes }: { connectionId: string; fence: bigint; bytes: bigint },
): Promise<AsyncIterable<Uint8Array>> {
  const read = (position: number) =>
    prisma.snapshotChunk.findFirst({
      where: { connectionId, fence, position: { gte: position } },
      orderBy: { position: "asc" },
      select: { data: true, position: true },
    })
  const first = await read(0)
  async function* chunks() {
    let left = Number(bytes)
    for (let chunk = first; chunk !== null; chunk = await read(chunk.position + 1)) {
      left -= chunk.data.length
      yield chunk.data
    }
    // The error closes the connection. Otherwise the client would wait for the missing bytes.
    if (left !== 0)
      throw new Error(`${left} bytes of a snapshot are missing: a newer snapshot has replaced it`)
  }
  return chunks()
}

/**
 * The source chose the type, so it may contain characters that are invalid in a header. Node would throw on
 * them.
 */
function safeContentType(type: string | null): string {
  return type !== null && /^[\w.+-]+\/[\w.+-]+(\s*;[\t\x20-\x7e]*)?$/.test(type)
    ? type
    : "application/octet-stream"
}
